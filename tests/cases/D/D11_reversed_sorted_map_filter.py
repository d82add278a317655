# D11: reversed over lists and ranges; map and filter over lists.
from support import show


def f(l):
    s = 0
    for v in reversed(l):
        s = s * 10 + v
    return s


def g(n):
    s = 0
    for v in reversed(range(n)):
        s = s * 10 + v
    return s


def h(l):
    s = 0
    for v in map(lambda v: v * 2, l):
        s = s * 10 + v
    return s


show(f, [1, 2, 3], [])
show(g, 4, 0, 1)
show(h, [1, 2, 3], [])
