# D19: next() with a default.
from support import show


def f(x):
    it = iter((x, x + 1))
    s = 0
    e = next(it, None)
    while e is not None:
        s = s * 10 + e
        e = next(it, None)
    return s


show(f, 2, 0, 0.5)
