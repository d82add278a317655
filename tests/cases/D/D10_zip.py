# D10: zip stops at the shorter.
from support import show


def f(l, m):
    s = 0
    for a, b in zip(l, m):
        s = s * 10 + a * b
    return s


def g(n, m):
    s = 0
    for a, b in zip(range(n), range(1, m)):
        s += a * b
    return s


show(f, ([1, 2, 3], [4, 5]), ([], [1]), ([2], [3]))
show(g, (4, 3), (2, 10), (0, 5))
