# I17: a string that is built in a staged loop.
from support import show


def f(n):
    s = ""
    for i in range(n):
        s += str(i)
    return s


show(f, 4, 0)
