# What compiled code cannot follow goes on as plain Python: the same values, the same errors at the same places.
#@ reference snekpy: CPython has no delimited continuations
from snekpy import reset, shift
from support import show


def again(k):
    return k(1)


def staged_bound(n):
    def run():
        total = 0
        for i in range(n):
            total += shift(lambda k: k(i))
        return total

    return reset(run)


def staged_condition(x):
    def run(y):
        while y > 1.0:
            y = shift(lambda k: k(y / 2))
        return y

    return reset(lambda: run(x))


def escapes(x):
    k = reset(lambda: x + shift(lambda k: k))
    return k(1), k(x)


def is_asked(x):
    return reset(lambda: shift(lambda k: (callable(k), type(k).__name__, k is k, bool(k), isinstance(k, int))))


def in_except(x):
    try:
        raise ValueError(x)
    except ValueError as error:
        return reset(lambda: error.args[0] + shift(lambda k: k(1) + k(2)))


def outside(x):
    return x + shift(again)


def in_a_key(x):
    return reset(lambda: min([x, 1], key=lambda i: shift(again)))


def in_a_map(x):
    return reset(lambda: list(map(lambda i: shift(again), [x])))


def over_a_generator(x):
    def run():
        for item in (i for i in (x, 1)):
            shift(again)

    return reset(run)


def over_a_dict(x):
    def run():
        for item in {1: x}:
            shift(again)

    return reset(run)


def held(x):
    def run():
        seen, items = [], iter([x, 1, 2, 3])
        for item in items:
            seen = seen + [item]
            if len(seen) == 2:
                shift(lambda k: (k(0), k(1)))
        return [seen]

    return reset(run)


class Odd:
    def __init__(self, value):
        self.value = value

    @property
    def got(self):
        return shift(again)

    def __len__(self):
        return shift(again)

    def __bool__(self):
        return shift(lambda k: k(True))

    def __iter__(self):
        return shift(lambda k: k(iter([1])))

    def __contains__(self, item):
        return shift(lambda k: k(True))

    def __abs__(self):
        return shift(again)


def property_of(x):
    return reset(lambda: Odd(x).got)


def length_of(x):
    return reset(lambda: len(Odd(x)))


def truth_of(x):
    return reset(lambda: 1 if Odd(x) else 2)


def items_of(x):
    return reset(lambda: [item for item in Odd(x)])


def is_in(x):
    return reset(lambda: x in Odd(x))


def size_of(x):
    return reset(lambda: abs(Odd(x)))


def decorated(x):
    def run():
        @lambda f: shift(again)
        def f():
            return x

        return f

    return reset(run)


def no_function(x):
    return reset(lambda: shift(x))


def no_argument(x):
    return reset(lambda: shift(lambda: x))


for function in (
    staged_bound, escapes, is_asked, in_except, outside, in_a_key, in_a_map, over_a_generator, over_a_dict, held,
    property_of, length_of, truth_of, items_of, is_in, size_of, decorated, no_function, no_argument,
):
    show(function, 3, 2)
show(staged_condition, 3.0, 0.5)
