# C14: a tuple that grows with every iteration of a staged loop has no one type.
from support import show


def f(n):
    t = ()
    while n > 0:
        t = t + (n,)
        n -= 1
    return t


show(f, 3)
