# G25: a deleted local.
from support import show


def f(x):
    y = x + 1
    del y
    return y


show(f, 3)
