# A03: two variables are changed in both arms.
from support import show


def both(n):
    i, j = 0, 1
    if i < n:
        i += 1
        j *= 10
    else:
        i += 2
        j *= 20
    return i, j


show(both, 5, 0, -1)
