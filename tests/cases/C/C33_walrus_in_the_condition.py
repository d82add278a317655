# C: the condition assigns.
from support import show


def f(n):
    s = 0
    while (half := n // 2) > 0:
        s = s * 10 + half
        n = half
    return s, half


show(f, 20, 1, 0)
