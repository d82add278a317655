# K04: results of native functions that are past 64 bits.
import math

from support import show


def factorial(n):
    return math.factorial(n)


def counted(n, k):
    return math.comb(n, k), math.perm(n, k), math.lcm(n, k), math.gcd(n, k)


def power(x, y):
    return pow(x, y)


def whole(x):
    return int(x), math.floor(x), math.ceil(x), math.trunc(x), round(x)


show(factorial, 5, 20, 21, 30, 5)
show(counted, (6, 3), (66, 33), (20, 20), (2**62, 3), (6, 4))
show(power, (2, 10), (2, 63), (-2, 63), (10, 30), (3, 2))
show(whole, 1.5, -1.5, 1e20, -9.3e18, 2.0**63, -(2.0**63), 2.5)
