# G22: a builtin that the module replaces.
from support import show


def abs(x):
    return x + 1000


def f(x):
    return abs(x)


def g(x):
    len = lambda v: v * 7
    return len(x)


show(f, -3, 0.5)
show(g, 2)
