# I06: a staged index is written.
from support import show


def f(i, v):
    t = [0, 0, 0]
    t[i] = v
    t[i - 1] += 1
    return t


show(f, (0, 5), (2, 7), (-1, 1), (3, 1), (1, 0.5))
