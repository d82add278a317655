# B14: `is None` on a value that may or may not be None.
from support import show


def f(x):
    if x is not None:
        return x + 1
    return 0


def g(n):
    best = None
    if n > 0:
        best = n
    if best is None:
        return "none"
    return best


show(f, 1, 2.5, None, 0)
show(g, 3, -1, 0)
