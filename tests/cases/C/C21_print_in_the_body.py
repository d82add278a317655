# C21: `print` in the body prints at every iteration of every call, in order.
from support import show


def f(n):
    s = 0
    while n > 0:
        s += n
        print("  s is", s, n / 2)
        n -= 1
    return s


show(f, 3, 0, 2)
