# E17: return without a value.
from support import show


def f(n):
    if n > 4:
        return
    print("  not more than four")
    return


def g(n):
    while n > 0:
        n -= 1
        if n == 3:
            return
    return n


show(f, 5, 4)
show(g, 9, 2)
