# E10: return from a loop, with a default after it.
from support import show


def find(l, t):
    for i, v in enumerate(l):
        if v == t:
            return i
    return -1


def root(n):
    i = 0
    while i <= n:
        if i * i >= n:
            return i
        i += 1
    return "none"


def ranged(n, t):
    for i in range(n):
        if i * i > t:
            return i
    return None


show(find, ([5, 6, 7], 6), ([5, 6, 7], 5), ([5, 6, 7], 9), ([], 1))
show(root, 10, 16, 0, -1)
show(ranged, (10, 20), (3, 20), (0, 0))
