# D05: the loop variable existed before; an empty loop leaves it alone.
from support import show


def f(n):
    i = 7
    s = 0
    for i in range(n):
        s = s * 10 + i
    return i, s


show(f, 3, 0, 1)
