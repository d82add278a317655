# D16: for over a sorted set that is known at staging.
from support import show


def f(x):
    s = 0
    for v in sorted({3, 1, 2}):
        s = s * 10 + v * x
    return s


show(f, 2, 0)
