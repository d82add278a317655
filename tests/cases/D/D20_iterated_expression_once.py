# D20: the expression that is iterated is evaluated once.
from support import show


def counted(n):
    print("  evaluated")
    return range(n)


def f(n):
    s = 0
    for e in counted(n):
        s += e
    return s


show(f, 4, 0)
