# D: a range is a value: its length, its items, and membership.
from support import show


def f(n):
    r = range(1, n, 2)
    return len(r), 3 in r, len(range(n))


def g(n):
    r = range(n)
    s = 0
    for a in r:
        for b in r:
            s += a * b
    return s


show(f, 6, 2, 0, -4)
show(g, 4, 0)
