# I22: isinstance and type of a staged number.
from support import show


def f(x):
    if isinstance(x, bool):
        return "bool", x
    if isinstance(x, int):
        return "int", x + 1
    if isinstance(x, (float, str)):
        return "other", x
    return "?"


def g(x):
    return type(x) is int, type(x) == float


show(f, 3, 0.5, True, "s", None)
show(g, 3, 0.5, True)
