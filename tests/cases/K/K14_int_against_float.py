# K14: an int and a float are compared exactly, also where floats have gaps.
from support import show


def f(a, b):
    return a == b, a < b, a > b, a <= b, a >= b, a != b


BIG = 2**53
show(f, (BIG, float(BIG)), (BIG + 1, float(BIG)), (BIG - 1, float(BIG)), (-BIG - 1, -float(BIG)))
show(f, (2**63 - 1, 2.0**63), (-(2**63), -(2.0**63)), (1, float("inf")), (1, float("nan")), (0, -0.0))
