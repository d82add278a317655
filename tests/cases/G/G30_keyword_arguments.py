# G30: staged numbers passed by name.
from support import show


def g(*, x, y):
    return x - y


def f(x):
    return g(y=x, x=1) + g(**{"x": x, "y": 2})


show(f, 3, 0.5)
