# K08: bools in arithmetic.
from support import show


def f(a, b):
    return a + b, a - b, a * b, a / 2, a // 1, a < b, -a, ~int(a), a**2


show(f, (True, True), (False, True), (True, 3))
