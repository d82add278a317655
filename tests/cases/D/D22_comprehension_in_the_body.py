# D22: a comprehension in the body of a loop.
from support import show


def f(n, x):
    s = 0
    for i in range(n):
        s += sum([a * x + i for a in range(3)])
    return s


show(f, (3, 2), (0, 2), (1, 0.5))
