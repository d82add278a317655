# K: zero divided by a negative int is minus zero.
from support import show


def f(a, b):
    return a / b


show(f, (0, -5), (0, 5), (False, -1))
