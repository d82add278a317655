# C13: the variable changes from a tuple to a number.
from support import show


def f(n):
    x = (1, n)
    while n > 0:
        x = n * 10
        n -= 1
    return x


show(f, 2, 1, 0)
