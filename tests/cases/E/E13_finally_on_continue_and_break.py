# E13: `finally` runs on every way out of the body.
from support import show


def f(n, t):
    s = 0
    for i in range(n):
        try:
            if i % 2 == 1:
                continue
            if i > t:
                break
            s = s * 10 + i
        finally:
            s += 1
    return s


show(f, (6, 9), (6, 2), (0, 0), (3, -1))
