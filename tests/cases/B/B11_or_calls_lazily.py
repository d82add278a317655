# B11: a call on the right side of `or` happens only when it is needed.
from support import show


def late():
    print("  late")
    return 7


def f(x, y):
    last = lambda: late() + x
    return x or y or last()


show(f, (1, 2), (0, 2), (0, 0))
