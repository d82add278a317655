# C06: the inner loop moves the bound of the outer one.
from support import show


def f(n):
    s = 0
    a = n
    while n > 0:
        while a > n:
            a -= 1
            s += a
        n -= 1
    return s, a, n


def g(a, b):
    steps = 0
    while a != b:
        while a > b:
            a -= b
            steps += 1
        while b > a:
            b -= a
            steps += 1
    return a, steps


show(f, 5, 1, 0, -2)
show(g, (12, 18), (7, 3), (4, 4))
