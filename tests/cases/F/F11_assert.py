# F11: assert, with and without a message.
from support import show


def f(x):
    assert x > 0, "must be positive"
    return x


def g(x):
    assert x != 0
    return 1 / x


def h(x):
    assert x > 0, x
    return x


show(f, 1, 0, -1.5)
show(g, 2, 0)
show(h, 1, -7, -0.5)
