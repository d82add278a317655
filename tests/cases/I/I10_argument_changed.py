# I10: a function changes the list that it gets; the caller sees it.
from support import show


def clear(l, x):
    l[0] = x
    if x > 0:
        l[1] = -x


def f(l, x):
    clear(l, x)
    return sum(l)


show(f, ([1, 2, 3], 7), ([1, 2, 3], -7))
