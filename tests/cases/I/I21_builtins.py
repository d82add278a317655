# I21: the builtins on numbers.
from support import show


def one(x):
    return abs(x), int(x), float(x), bool(x), round(x), -x, +x


def two(x, y):
    return min(x, y), max(x, y), divmod(x, y), pow(x, 2), x // y, x % y


def several(a, b, c):
    return min(a, b, c), max(a, b, c), sum((a, b, c)), min([a, b]), max((b, c)), len([a, b, c])


def digits(x):
    return round(x, 2), round(x, -1), round(x, 0)


show(one, 3, -3, 0, 2.5, -2.5, 3.5, True, -0.0)
show(two, (7, 2), (-7, 2), (7, -2), (7.5, -2), (1, 1.0), (1, 0), (1.5, 0.0))
show(several, (1, 2, 3), (3, 2.0, 1), (0, -0.0, 0.0))
show(digits, 2.675, 1234.5678, -0.125)
