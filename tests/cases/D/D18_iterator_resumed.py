# D18: an iterator that one loop leaves and another continues.
from support import show


def f(x):
    it = iter((1, 2, 3, 4))
    first = 0
    for e in it:
        first = e * x
        break
    s = 0
    for e in it:
        s = s * 10 + e * x
    return first, s


show(f, 2, 0, -1)
