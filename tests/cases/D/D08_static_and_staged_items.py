# D08: a list of numbers that are known and numbers that are not.
from support import show


def f(x):
    s = 0
    for v in [1, x, 3, x + 1]:
        s = s * 10 + v
    return s


def g(x):
    s = 0
    for row in [[], [x], [1], [x, 2]]:
        for v in row:
            s = s * 10 + v
    return s


show(f, 2, 0, 0.5)
show(g, 2, 0)
