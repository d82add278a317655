# K04: ints up to 64 bits are exact.
from support import show


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


BIG = 2**63 - 1
show(add, (BIG - 1, 1), (-BIG, -1), (2**62, 2**62 - 1))
show(sub, (-BIG, 1), (BIG, BIG), (0, BIG))
show(mul, (2**31, 2**31), (-(2**32), 2**31), (3037000499, 3037000499), (BIG, -1))
