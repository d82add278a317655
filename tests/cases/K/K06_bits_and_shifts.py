# K06: shifts, bit operations and `~`.
from support import show


def f(a, b):
    return a & b, a | b, a ^ b, ~a


def left(a, b):
    return a << b


def right(a, b):
    return a >> b


show(f, (12, 10), (-12, 10), (-1, 0), (0, 0), (True, 2))
show(f, (True, False))
show(left, (3, 4), (-3, 4), (0, 100), (1, 62), (5, 0), (1, -1))
show(right, (48, 4), (-48, 4), (-1, 100), (1, 63), (1, 64), (7, 0), (1, -1))
