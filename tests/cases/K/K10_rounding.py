# K10: round to even, int() towards zero, floor, ceil and trunc.
import math

from support import show


def f(x):
    return round(x), int(x), math.floor(x), math.ceil(x), math.trunc(x)


show(f, 2.5, 3.5, -2.5, 0.5, -0.5, 1.49, -1.51, 1e15 + 0.5, 7, True, -0.0)
show(f, float("inf"), float("nan"))
