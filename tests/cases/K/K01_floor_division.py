# K01: `//`, `%` and divmod round down, whatever the signs.
from support import show


def f(a, b):
    return a // b, a % b, divmod(a, b)


show(f, (7, 2), (-7, 2), (7, -2), (-7, -2), (0, 3), (-6, 3), (6, -3))
show(f, (7.5, 2), (-7.5, 2), (7.5, -2), (-7.5, -2), (0.0, -3), (-0.0, 3), (1e300, 1e-10))
show(f, (7, 0.5), (-1, float("inf")), (1.0, float("-inf")), (float("inf"), 1), (True, 2), (-9, True))
