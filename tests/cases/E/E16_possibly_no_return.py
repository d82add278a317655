# E16: a path that ends without `return` gives None.
from support import show


def f(x):
    if x > 0:
        if x < 5:
            return x
    else:
        return x**3


show(f, 2, 5, 6, 0, -2)
