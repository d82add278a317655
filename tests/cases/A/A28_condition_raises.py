# A28: a condition that raises.
from support import show


def f(x):
    if 1 / x > 0.3:
        return "big"
    return "small"


show(f, 2, 4, 0, 0.0, -2)
