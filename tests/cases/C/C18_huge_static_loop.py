# C18: a long loop with bounds known at staging becomes a loop, not a hundred thousand copies.
#@ golden ir f(1)
from support import show


def f(x):
    s = 0
    for i in range(100000):
        s += x
    return s


def g(x):
    i = 0
    s = 0.0
    while i < 100000:
        s += x * i
        i += 1
    return s, i


show(f, 1, 3, 0.5)
show(g, 1, 0.1)
