# M12: a function without `return` gives None.
from support import show


def f(x):
    y = x + 1


def g(x):
    if x > 0:
        print("  positive")


show(f, 1, 0.5)
show(g, 1, -1)
