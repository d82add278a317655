# I14: swapping, in a loop with a staged bound.
from support import show


def f(a, b, n):
    for i in range(n):
        a, b = b, a
    return a, b


def g(a, b, c, n):
    while n > 0:
        a, b, c = c, a, b
        n -= 1
    return a, b, c


show(f, (1, 2, 3), (1, 2, 4), (1, 2, 0), (0.5, 1.5, 1))
show(g, (1, 2, 3, 1), (1, 2, 3, 5))
