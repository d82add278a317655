# C09: as C08, and the loop runs at least once.
from support import show


def f(x):
    while x > 0:
        y = x + 2
        x -= 1
    return x, y


show(f, 2, 1, 5)
