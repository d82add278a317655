# A15: tuples of different length.
from support import show


def arity(c):
    if c:
        t = (1, 2)
    else:
        t = (1, 2, 3)
    return len(t)


def whole(c, x):
    if c:
        t = (x, 2)
    else:
        t = (x, 2, 3)
    return t


show(arity, True, False)
show(whole, (True, 5), (False, 5))
