# B03: a conditional expression as an argument; the function is called once.
from support import show


def double(v):
    print("  double", v)
    return v * 2


def f(c, a, b):
    return double(a if c else b)


show(f, (True, 1, 2), (False, 1, 2))
