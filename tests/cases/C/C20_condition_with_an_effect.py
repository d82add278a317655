# C20: the condition has an effect: it happens once more than the body.
from support import show


def check(i, n):
    print("  check", i)
    return i < n


def f(n):
    i = 0
    while check(i, n):
        i += 1
    return i


show(f, 2, 0, 3)
