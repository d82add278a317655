# E14: the items are known, the `break` is not.
from support import show


def f(x):
    s = 0
    for i in [1, 2, 3]:
        if x > i:
            break
        s = s * 10 + i
    return s, i


def g(x):
    for i in range(3):
        if x > i:
            continue
        x += 10
    return x


show(f, 0, 2, 3, 4, 2.5)
show(g, 0, 1, 2, 3, 1.5)
