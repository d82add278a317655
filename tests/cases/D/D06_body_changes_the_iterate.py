# D06: the body assigns to the loop variable; the next iteration is not affected.
from support import show


def f(n):
    s = 0
    for i in range(n):
        i = 3 * i + 1
        s = s * 10 + i
    return s


def g(l):
    s = 0
    for i in l:
        i = 3 * i + 1
        s = s * 10 + i
    return s


show(f, 3, 0, 2)
show(g, [1, 2], [], [0])
