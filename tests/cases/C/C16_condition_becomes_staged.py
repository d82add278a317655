# C16: the condition is known at first and depends on the argument from the second time on.
from support import show


def step(x):
    if x > 2:
        return 3
    return 4


def f(x):
    i = 0
    n = 0
    while i < 10:
        i = i + step(x)
        n += 1
    return i, n


show(f, 5, 1, 2.5)
