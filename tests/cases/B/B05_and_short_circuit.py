# B05: `and` does not evaluate its right side when the left side is false.
from support import show


def f(x):
    return x != 0 and 10 / x > 1


def g(x):
    if x == 0 or 10 / x > 1:
        return "in"
    return "out"


show(f, 0, 5, 20, 0.0)
show(g, 0, 5, 20)
