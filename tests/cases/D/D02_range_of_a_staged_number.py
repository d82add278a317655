# D02: range over a staged bound.
from support import show


def f(n):
    s = 0
    for i in range(n):
        s += i
    return s


def g(x):
    for i in range(x):
        return i
    return "none"


show(f, 5, 1, 0, -3, True)
show(g, 2, 0)
