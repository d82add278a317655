# C15: the condition is the constant True, the way out is a staged `break`.
from support import show


def f(x):
    while True:
        if x <= 0:
            break
        x -= 1
    return x


def g(x):
    while True:
        x = x * 3 + 1
        if x > 100:
            return x
        if x < -100:
            return -1


show(f, 5, 0, -2, 2.5)
show(g, 1, -1, 200, 0.5)
