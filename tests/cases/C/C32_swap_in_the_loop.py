# C: variables that exchange their values at every iteration.
from support import show


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def fibonacci(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n -= 1
    return a, b


show(gcd, (12, 18), (17, 5), (0, 3), (3, 0), (-12, 18))
show(fibonacci, 0, 1, 10, 80)
