# B07: `and` gives one of its operands, not a bool.
from support import show


def f(x, y, z):
    return x and y and z


show(f, (1, 2, 3), (0, 2, 3), (1, 0, 3), (1, 2.5, 0), (1.0, 2, 0.0), (1, "", 3), (1, "a", 3))
