# F10: an exception in a loop, caught, and the loop goes on.
from support import show


def f(n):
    s = 0
    for i in range(n):
        try:
            s += 10 // (i - 2)
        except ZeroDivisionError:
            s += 1000
            continue
        s += 1
    return s


show(f, 5, 2, 0)
