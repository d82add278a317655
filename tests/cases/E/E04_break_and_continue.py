# E04: both arms leave the body; what follows is never reached.
from support import show


def f(n):
    s = 0
    c = 0
    while c < n:
        c += 1
        if c % 3 == 0:
            break
        else:
            continue
        s += c
    return s, c


def g(l):
    s = 0
    for v in l:
        if v < 0:
            break
        if v == 0:
            continue
        s = s * 10 + v
    return s


show(f, 2, 3, 9, 0)
show(g, [1, 0, 2, -1, 3], [0], [-1], [])
