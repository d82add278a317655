# I04: a list reads the elements that it has.
from support import show


def f(n):
    l = [1, 1]
    for i in range(2, n):
        l.append(l[i - 1] + l[i - 2])
    return l[-1], len(l)


show(f, 10, 2, 3)
