# E15: one arm returns, the other falls through.
from support import show


def f(x):
    if x > 0:
        return x
    return x * x


def g(x):
    if x > 0:
        y = x
    else:
        return -1
    return y + 1


show(f, 3, -3, 0, 1.5, -1.5, True)
show(g, 3, -3)
