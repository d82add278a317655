# A14: a bool in one arm and an int in the other: equal as numbers, different when printed.
from support import show


def flag(c):
    if c:
        y = True
    else:
        y = 1
    return y


def sum_of(c):
    if c:
        y = True
    else:
        y = 1
    return y + 1


show(flag, True, False)
show(sum_of, True, False)
