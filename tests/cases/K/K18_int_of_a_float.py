# K: int() of floats that have no int.
from support import show


def f(x):
    return int(x)


show(f, 2.9, -2.9, 1e18, float("nan"), float("inf"), -float("inf"))
