# A16: lists of different length.
from support import show


def last(c, x):
    if c:
        l = [x]
    else:
        l = [x, x + 1]
    return l[-1], len(l)


show(last, (True, 5), (False, 5), (False, 2.5))
