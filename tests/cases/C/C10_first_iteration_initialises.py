# C10: the variable is created by the first iteration and used by the others.
from support import show


def f(n):
    i = 0
    while i < n:
        if i == 0:
            x = 100
        else:
            x = x + i
        i += 1
    return x


def g(n):
    first = True
    i = 0
    while i < n:
        if first:
            x = 0
            first = False
        else:
            x += 1
        i += 1
    return x, first


show(f, 1, 4, 0)
show(g, 1, 4)
