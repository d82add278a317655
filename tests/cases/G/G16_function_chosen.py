# G16: the function to call is chosen under a staged condition.
from support import show


def double(x):
    return x * 2


def half(x):
    return x / 2


def f(x):
    g = double if x > 3 else half
    return g(x) + 1


show(f, 5, 3, 3.5)
