# C19: the condition calls a function each time.
from support import show


def limit(n):
    return n * 2


def f(n):
    i = 0
    while i < limit(n):
        i += 1
    return i


show(f, 3, 0, -1, 2.5)
