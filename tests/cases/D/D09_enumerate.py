# D09: enumerate, with and without a start.
from support import show


def f(l):
    s = 0
    for i, v in enumerate(l):
        s += i * v
    return s


def g(n, k):
    s = 0
    for i, v in enumerate(range(n), k):
        s = s * 10 + i * v
    return s


show(f, [5, 6, 7], [], [2.5])
show(g, (4, 1), (0, 1), (3, -1))
