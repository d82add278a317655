# A12: an int in one arm and a float in the other keep their types.
from support import show


def number(x):
    if x > 0:
        y = 1
    else:
        y = 2.5
    return y


def used(x):
    if x > 0:
        y = 3
    else:
        y = 3.0
    return y * 2, y // 2, y == 3


show(number, 1, -1, 0)
show(used, 1, -1)
