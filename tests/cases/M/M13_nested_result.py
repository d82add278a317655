# M13: tuples and lists of staged numbers come out as they are.
from support import show


def f(x, y):
    return x, [y, (x + y, None)], (), "text", [[], x > y]


def g(x):
    t = (x, x)
    return t, t, [t[0]]


show(f, (1, 2), (0.5, 2), (True, 0))
show(g, 1, 0.5)
