# I07: a slice is replaced by what a generator gives.
from support import show


def f(x):
    l = [1]
    l[:] = (v for v in (x, 2))
    return l


show(f, 1, 0.5)
