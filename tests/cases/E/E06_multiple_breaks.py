# E06: two ways out of one loop.
from support import show


def f(n, t):
    s = 1
    i = 1
    while i < n:
        if i > t:
            break
        s *= i
        if s > 100:
            break
        i += 1
    return i, s


show(f, (20, 3), (20, 50), (3, 50), (0, 0))
