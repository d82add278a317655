# C04: two loops one after the other use the same variable.
from support import show


def twice(n1, n2):
    s = 0
    i = 0
    while i < n1:
        s = s * 10 + i
        i += 1
    i = 0
    while i < n2:
        s = s * 10 + i
        i += 1
    return s, i


show(twice, (3, 2), (0, 2), (3, 0), (0, 0))
