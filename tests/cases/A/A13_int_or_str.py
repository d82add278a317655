# A13: a string in one arm and a number in the other.
from support import show


def mixed(x):
    if x > 0:
        a = "s"
    else:
        a = 1
    return a


show(mixed, 1, 0, -4)
