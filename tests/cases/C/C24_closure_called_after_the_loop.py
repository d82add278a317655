# C24: a closure that is called after the loop sees the last value.
from support import show


def f(n):
    a = 0
    l = lambda: a
    for i in range(3):
        a = i * n
    return l()


def g(n):
    a = 0
    l = lambda: a
    i = 0
    while i < n:
        a = a + i
        i += 1
    return l()


show(f, 5, 0)
show(g, 4, 0)
