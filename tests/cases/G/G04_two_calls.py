# G04: a function that calls itself twice.
from support import show


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def paths(a, b):
    if a == 0 or b == 0:
        return 1
    return paths(a - 1, b) + paths(a, b - 1)


show(fib, 10, 1, 0, -1, 18)
show(paths, (3, 4), (0, 5), (6, 6))
