# A10: None in one arm, a number in the other.
from support import show


def maybe(c):
    i = 0
    j = 1
    if c:
        i = None
        j = 2
    return i, j


show(maybe, True, False)
