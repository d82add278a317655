# E18: what follows a `return` is never run.
from support import show


def f(x):
    if x > 0:
        return x
        x = "never"
    return -x
    print("never")


show(f, 2, -2, 0)
