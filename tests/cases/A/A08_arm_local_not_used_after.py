# A08: a variable that lives in one arm only and is not read afterwards.
from support import show


def local(n):
    if n > 3:
        b = 4
        n = b + 1
    return n


show(local, 5, 3, -2, 3.5)
