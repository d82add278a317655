# E20: the inner function returns early, the outer goes on.
from support import show


def f(x):
    def inner(v):
        if v > 10:
            return 10
        v = v + 1
        return v

    y = inner(x)
    return y * 2 + inner(y)


def g(n):
    def first(t):
        for i in range(n):
            if i >= t:
                return i
        return -1

    return first(2), first(n), first(0)


show(f, 3, 11, 10, 2.5)
show(g, 5, 1, 0)
