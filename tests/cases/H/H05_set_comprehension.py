# H05: a set comprehension over staged numbers.
from support import show


def sets(x, y):
    s = {v % 3 for v in (x, y, 4)}
    return sorted(s), len(s), 1 in s


show(sets, (1, 2), (3, 6), (1, 7))
