# K11: comparisons with nan, and min and max, which depend on the order.
from support import show


def f(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b, not a < b


def g(a, b):
    return min(a, b), max(a, b)


nan = float("nan")
show(f, (nan, nan), (nan, 1.0), (1, nan))
show(g, (nan, 1.0), (1.0, nan), (0.0, -0.0), (-0.0, 0.0))
