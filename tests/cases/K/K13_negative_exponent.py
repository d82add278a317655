# K13: an int to a negative int is a float: the type depends on the value.
from support import show


def f(a, n):
    return a**n


show(f, (2, 3), (2, -1), (-2, -3), (1, -1))
