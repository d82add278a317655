# E08: the `else` of a `while`.
from support import show


def f(n, t):
    i = 0
    while i < n:
        if i == t:
            break
        i += 1
    else:
        i = -1
    return i


show(f, (5, 3), (5, 9), (0, 0))
