# K07: an int and a float give a float.
from support import show


def f(a, b):
    return a + b, a - b, a * b, a / b, a < b, a == b, max(a, b)


def total(a, b, c):
    return sum([a, b, c])


show(f, (1, 2.0), (2.5, 2), (-1, 0.5), (True, 0.5), (3, 3.0))
show(total, (1, 2.5, 3), (0, 0, 0.0), (True, 1, 1))
