# G26: the variable of a comprehension does not leak.
from support import show


def f(n):
    x = 10
    l = [x + n for x in range(3)]
    return x, l


show(f, 5, 0.5)
