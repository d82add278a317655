# B17: a bool is an int in arithmetic and prints as a bool.
from support import show


def f(x, c):
    return True + x, c + c, c * x, -c, c & True, c | False, c ^ True, c


def count(a, b, c):
    return sum(v > 1 for v in (a, b, c))


show(f, (3, True), (3, False), (0.5, True), (True, False))
show(count, (1, 2, 3), (0, 0, 0), (2, 2.5, True))
