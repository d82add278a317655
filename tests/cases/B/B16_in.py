# B16: membership in tuples, lists and ranges.
from support import show


def f(x):
    return x in (1, 2, 3), x not in [2, 4.0]


def g(x, l):
    if x in l:
        return "in"
    return "out"


def h(x):
    return x in range(2, 10, 3)


show(f, 1, 2, 4, 2.0, True, 0.5)
show(g, (3, [1, 2, 3]), (0, [1, 2]), (5, []))
show(h, 5, 6, 8, 11, 2)
