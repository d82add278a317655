# C17: bounds known at staging: the loop is unrolled, the result is the same.
from support import show


def f(x):
    i = 0
    while i < 3:
        x = x * 2 + i
        i += 1
    return x


show(f, 1, 0, -1, 0.5)
