# H06: any, all, sum, min and max over generator expressions.
from support import show


def f(a, b, c, t):
    l = (a, b, c)
    return any(v > t for v in l), all(v > t for v in l), sum(v * 2 for v in l)


def g(a, b, c):
    return min(v * v for v in (a, b, c)), max(-v for v in (a, b, c))


show(f, (1, 5, 9, 4), (1, 2, 3, 4), (5, 6, 7, 4), (0.5, 1, 2, 0))
show(g, (1, -2, 3), (0, 0.5, -1))
