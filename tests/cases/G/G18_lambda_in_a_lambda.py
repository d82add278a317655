# G18: nested lambdas with the same parameter name, and a lambda as a default.
from support import show


def f(x, g=lambda x: x + 1):
    h = lambda x: lambda x: x * 3
    return g(x) + h(1)(x)


show(f, 3, 0.5)
