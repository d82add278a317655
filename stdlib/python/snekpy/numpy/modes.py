"""How NumPy deals with errors of floats, as far as it is so here: results are infinities and NaN, and nobody warns."""

__all__ = ["errstate", "geterr", "iterable", "seterr"]

_KINDS = ("divide", "over", "under", "invalid")
_now = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def geterr():
    """What is done in each case."""
    return dict(_now)


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Says what is to be done in each case; what was done until now."""
    before = dict(_now)
    for kind, how in zip(_KINDS, (divide, over, under, invalid)):
        how = all if how is None else how
        if how is None:
            continue
        if how not in ("ignore", "warn"):
            raise NotImplementedError(f"{kind}={how!r}: floats give infinities and NaN, and nothing else happens")
        _now[kind] = how
    return before


class errstate:
    """Says so for the time of a `with`."""

    def __init__(self, *, call=None, all=None, divide=None, over=None, under=None, invalid=None):
        self.asked = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}

    def __enter__(self):
        self.before = seterr(**self.asked)

    def __exit__(self, *_):
        seterr(**self.before)

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with errstate(**self.asked):
                return function(*args, **kwargs)

        return wrapped


def iterable(y):
    """Whether it can be iterated over."""
    try:
        iter(y)
    except TypeError:
        return False
    return True
