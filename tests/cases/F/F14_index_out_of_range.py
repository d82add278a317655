# F14: an index that is out of range.
from support import show


def f(i):
    l = [10, 20, 30]
    return l[i]


def g(t, i):
    return t[i]


show(f, 0, 2, 3, -1, -3, -4, True)
show(g, ((1, 2), 1), ((1, 2), 2), ((1.5, 2.5, 3.5), -3), ((), 0))
