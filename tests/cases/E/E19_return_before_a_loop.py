# E19: a return that happens, perhaps, before the loop.
from support import show


def f(a, b, n):
    if a > 0:
        if b > 0:
            return 1
    s = 0
    for i in range(n):
        s += i
    return 2 + s


show(f, (1, 1, 3), (1, 0, 3), (0, 1, 3), (0, 0, 0))
