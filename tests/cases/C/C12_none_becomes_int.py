# C12: None before the loop, a number after it.
from support import show


def f(n):
    r = None
    while n > 0:
        r = n
        n -= 1
    return r


def g(n):
    best = None
    i = 0
    while i < n:
        v = (i * 7) % 5
        if best is None or v > best:
            best = v
        i += 1
    return best


show(f, 3, 1, 0, -1)
show(g, 0, 1, 3, 9)
