# C11: the variable is an int before the loop and a float after the first iteration.
from support import show


def f(n):
    x = 1
    while x < n:
        x = x * 1.5
    return x


def g(n):
    x = 0
    i = 0
    while i < n:
        x = x + 0.5 if i % 2 == 1 else x + 1
        i += 1
    return x


show(f, 100, 1, 0, 2.5)
show(g, 0, 1, 2, 3, 6)
