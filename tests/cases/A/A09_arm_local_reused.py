# A09: both arms use a variable of the same name for themselves.
from support import show


def reuse(c, i):
    if c:
        j = 1
    else:
        j = 2
        i = j + 1
    return i


show(reuse, (True, 9), (False, 9))
