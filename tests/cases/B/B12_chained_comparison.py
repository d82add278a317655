# B12: a chain of comparisons.
from support import show


def between(x):
    return 0 < x < 10


def equal(a, b, c):
    return a == b == c


def order(a, b, c):
    if a < b <= c != 7:
        return "ordered"
    return "not"


show(between, 5, 0, 10, -1, 9.5, True)
show(equal, (1, 1, 1), (1, 1, 2), (1, 2, 2), (1, 1.0, True))
show(order, (1, 2, 3), (1, 2, 7), (3, 2, 9), (1, 2, 2), (1, 2, 1))
