# D25: for over functions: each is called.
from support import show


def double(x):
    return x * 2


def half(x):
    return x / 2


def f(x):
    for layer in [double, half, lambda v: v + 1, abs]:
        x = layer(x)
    return x


show(f, 3, -7, 0.5)
