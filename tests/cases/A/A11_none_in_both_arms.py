# A11: None in both arms stays the static None.
from support import show


def none(c):
    i = 0
    if c:
        i = None
        j = 1
    else:
        i = None
        j = 2
    return i, j


show(none, True, False)
