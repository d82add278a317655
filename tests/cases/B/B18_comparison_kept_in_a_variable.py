# B18: the result of a comparison is kept and branched on later.
from support import show


def f(x, y):
    c = x > 3
    r = 0
    if c and y:
        r = 1
    elif c:
        r = 2
    return c, r


show(f, (4, 1), (4, 0), (3, 1), (3.5, True))
