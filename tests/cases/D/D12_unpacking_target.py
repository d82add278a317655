# D12: a target that unpacks.
from support import show


def f(x):
    s = 0
    for a, (b, c) in ((1, (x, 3)), (x, (4, 5))):
        s += a * b - c
    return s


def g(items):
    s = 0
    for a, *rest in items:
        s = s * 10 + a * len(rest)
        for r in rest:
            s += r
    return s


show(f, 2, 0, 1.5)
show(g, [(1, 2, 3), (4, 5)], [], [(7,)])
