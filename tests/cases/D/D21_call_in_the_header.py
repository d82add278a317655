# D21: the list comes from a call.
from support import show


def pair(x):
    return [x, x * x]


def f(x):
    s = 0
    for i in pair(x):
        s = s * 100 + i
    return s


show(f, 3, 0, 1.5)
