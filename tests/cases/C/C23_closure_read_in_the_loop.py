# C23: a closure that is called in the loop sees the variable as it is at that moment.
from support import show


def f(n):
    i = 0
    s = 0
    g = lambda: i + 2
    while i < n:
        s += g()
        i += 1
    return s


show(f, 4, 0, 1)
