# B10: `not` gives a bool.
from support import show


def f(x):
    return not x


def g(x):
    return not not x, not x > 3


show(f, 0, 3, 0.0, 0.5, True, False, None, "", [], [0])
show(g, 0, 4, 2.5)
