# I01: a list grows in a staged loop.
from support import show


def f(n):
    l = []
    for i in range(n):
        l.append(i * i)
    return l


show(f, 4, 0, 1)
