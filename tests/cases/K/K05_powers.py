# K05: powers of ints and floats.
from support import show


def f(a, b):
    return a**b


def square(x):
    return x**2, x**0, x**1, x**3


def modular(a, b, m):
    return pow(a, b, m)


show(f, (2, 10), (0, 0), (-2, 3), (-2, 62), (2, 62), (7, 0), (1, 1000000), (-1, 1000001))
show(f, (2.0, 0.5), (2, 0.5), (0.0, 0), (1.5, 3), (4.0, -0.5), (0.0, 0.5))
show(square, 3, -3, 0, 1.5, -0.0, True)
show(modular, (3, 200, 13), (-3, 5, 7), (2, 10, 1), (5, 3, -7))
