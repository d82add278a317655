# B06: `or` gives one of its operands, not a bool.
from support import show


def f(x, y, z):
    return x or y or z


show(f, (0, "", 5), (1, "", 5), (0, "a", 5), (0, 0, 0), (0, 0.0, 2), (0.0, 0, -0.0))
