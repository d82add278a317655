# K12: floats are doubles, and sums round at every step.
from support import show


def f(x, n):
    s = 0.0
    for i in range(n):
        s += x
    return s


show(f, (0.1, 10), (0.1, 1000), (1e-20, 5))
