# D23: a variable of the body is read after the loop.
from support import show


def f(l):
    s = 0
    for i in l:
        tmp = i * 2
        s += tmp
    return s, tmp


def g(n):
    for i in range(n):
        tmp = i * 2
    return tmp


show(f, [1, 2], [5], [])
show(g, 3, 1, 0)
