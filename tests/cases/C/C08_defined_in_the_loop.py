# C08: a variable first assigned in the loop and read after it: unbound when the loop did not run.
from support import show


def f(x):
    while x > 0:
        y = x + 2
        x -= 1
    return y


show(f, 0, 3, -1, 1, 0.5)
