# A01: both arms of a staged `if` assign one variable.
from support import show


def pick(c):
    i = 0
    if c:
        i = 1
    else:
        i = 2
    return i


show(pick, True, False)
