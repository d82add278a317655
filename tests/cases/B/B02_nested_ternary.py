# B02: a conditional expression inside another.
from support import show


def f(x, y):
    return "a" if x > 0 else ("b" if y > 0 else "c")


def g(x, y):
    return (x if y > 0 else y) if x > y else (y * 2 if x > 0 else x * 3)


show(f, (1, 0), (0, 1), (0, 0))
show(g, (3, 2), (3, -2), (1, 5), (-1, 5))
