# I15: sets of staged numbers.
from support import show


def f(a, b):
    s = {a, 2}
    s.add(b)
    return len(s), a in s, 9 in s


show(f, (1, 3), (2, 2), (1, 9))
