# C07: a variable that lives in the body only.
from support import show


def f(x):
    s = 0
    while x > 0:
        y = x + 2
        s += y
        x -= 1
    return s, x


show(f, 4, 0, -1, 2.5)
