# C01: a loop whose bound is staged.
from support import show


def count(n):
    x = 0
    while x < n:
        x += 1
    return x


show(count, 7, 0, -3, 2.5, True)
