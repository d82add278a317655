# The cause and the context of an exception belong to the path and to the iteration that have set them.
from snekpy import stage


@stage
def chosen(m):
    try:
        raise KeyError(m) from (ValueError("v") if m > 0 else None)
    except KeyError as k:
        return repr(k.__cause__), k.__suppress_context__


@stage
def made_before(m):
    k = KeyError("k")
    try:
        if m > 0:
            raise k from ValueError("v")
        raise k
    except KeyError as e:
        return repr(e.__cause__), e.__suppress_context__


@stage
def contexts(m):
    k = KeyError("k")
    try:
        try:
            1 // 0 if m > 0 else [][1]
        except (ZeroDivisionError, IndexError):
            raise k
    except KeyError as e:
        return type(e.__context__).__name__


@stage
def leaves(n):
    e = ValueError("bad")
    if n == 1:
        raise e from KeyError("k")
    if n == 2:
        raise e from None
    raise e


@stage
def noted(n):
    e = ValueError(n)
    if n > 5:
        e.add_note("big")
    if n > 7:
        e.__cause__ = KeyError("cause")
    if n > 8:
        e.__suppress_context__ = False
    raise e


@stage
def changed(n):
    e = ValueError("x")
    if n == 1:
        e.foo = n
    if n == 2:
        e.args = ("changed",)
    if n == 3:
        e.__context__ = KeyError("ctx")
    return vars(e), e.args, repr(e.__context__), repr(e.__cause__), e.__suppress_context__


@stage
def of_iterations(ns):
    seen = []
    e = ValueError("x")
    for n in ns:
        try:
            if n == 1:
                raise e from KeyError(n)
            raise e
        except ValueError as x:
            seen.append((repr(x.__cause__), x.__suppress_context__))
    return seen


@stage
def anew(n):
    seen = []
    for i in range(n):
        try:
            try:
                if i % 3 == 0:
                    raise KeyError(i)
                if i % 3 == 1:
                    raise IndexError(i)
                raise ValueError(i) from TypeError(i + 1)
            except LookupError as e:
                raise RuntimeError(i) from e
        except (RuntimeError, ValueError) as e:
            seen.append((type(e).__name__, repr(e.__cause__), repr(e.__context__), e.__suppress_context__))
    return seen


def show(function, *args):
    try:
        print(function.__name__, args, function(*args))
    except Exception as e:
        notes = getattr(e, "__notes__", None)
        print(function.__name__, args, repr(e), repr(e.__cause__), e.__suppress_context__, notes, repr(e.__context__))


for _ in range(2):
    for n in (1, -1, 2, 0, 1, 3):
        for function in (chosen, made_before, contexts, leaves, changed, anew):
            show(function, n)
    for n in (1, 6, 8, 9, 2):
        show(noted, n)
    show(of_iterations, [0, 1, 0, 2, 1])
