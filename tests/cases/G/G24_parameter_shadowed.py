# G24: an inner function whose parameter has the name of an outer variable.
from support import show


def f(x):
    def inner(x):
        x = x + 1
        return x

    y = inner(x * 10)
    return x, y


show(f, 3, 0.5)
