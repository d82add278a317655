# E11: return from two loops at once.
from support import show


def f(n, t):
    for i in range(n):
        for j in range(n):
            if i * j == t:
                return (i, j)
    return None


show(f, (5, 6), (5, 0), (5, 11), (0, 0))
