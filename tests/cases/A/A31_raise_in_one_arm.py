# A31: one arm raises.
from support import show


def f(n):
    if n > 0:
        n = n + 1
        raise ValueError()
    return n


def g(n):
    if n > 0:
        raise ValueError("too big")
    elif n < -10:
        raise OverflowError("too small", n)
    return n


show(f, -3, 1, 0)
show(g, 1, -3, -11)
