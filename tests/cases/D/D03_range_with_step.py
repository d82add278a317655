# D03: range with start, stop and step, up and down.
from support import show


def down(n):
    s = 0
    for i in range(n, 0, -2):
        s = s * 10 + i
    return s


def between(a, b):
    s = 0
    for i in range(a, b):
        s = s * 10 + i
    return s


def stepped(a, b, c):
    s = 0
    for i in range(a, b, c):
        s = s * 10 + i
    return s


show(down, 7, 6, 1, 0, -5)
show(between, (2, 5), (5, 2), (-2, 1), (3, 3))
show(stepped, (1, 10, 3), (10, 1, -3), (1, 10, -1), (10, 1, 1), (1, 2, 0), (5, -5, -4))
