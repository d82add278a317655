# G15: a function that is made, returned and called.
from support import show


def adder(n):
    def add(x):
        return x + n

    return add


def f(x):
    one = adder(1)
    by = adder(x)
    return one(x) * by(10)


show(f, 3, 0, 2.5)
