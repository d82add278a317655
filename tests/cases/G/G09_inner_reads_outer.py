# G09: a nested function reads a variable of the function round it.
from support import show


def f(x):
    y = x * 2

    def inner(v):
        return v + y

    if x > 0:
        y = y + 100
    return inner(1)


show(f, 3, -3, 0.5)
