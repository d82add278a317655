# I13: packing and unpacking, with a star.
from support import show


def f(t):
    a, *b = t
    *c, d = t
    return a, b, c, d


def g(x, y):
    (a, b), c = (x, y), x + y
    return [*(a, b), c, *[a]]


def wrong(t):
    a, b = t
    return a


show(f, ((1, 2, 3),), ((1,),), ((),))
show(g, (1, 2), (0.5, 3))
show(wrong, ((1, 2),), ((1, 2, 3),), ((1,),))
