# E02: break in `for` and in `while`.
from support import show


def first(l, t):
    for v in l:
        if v > t:
            break
    else:
        v = None
    return v


def below(n):
    i = 0
    while i < n:
        if i * i > 30:
            break
        i += 1
    return i


def ranged(n, t):
    r = -1
    for i in range(n):
        if i * i >= t:
            r = i
            break
    return r


show(first, ([1, 5, 9], 4), ([1, 5, 9], 0), ([1, 5, 9], 10), ([], 1))
show(below, 3, 100, 0)
show(ranged, (10, 10), (3, 10), (0, 0))
