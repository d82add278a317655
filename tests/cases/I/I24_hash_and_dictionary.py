# I24: a staged number as a key that is looked up at once.
from support import show


def f(x):
    return {x: 1, 2: 5}[x], hash(x)


show(f, 1, 2, 0.5, True)
