# B01: a conditional expression.
from support import show


def f(x):
    x = -x if x < 5 else x
    return x


show(f, 4, 5, 6, -3, 0, 4.5, 0.0, True)
