# I11: a dictionary whose keys are staged.
from support import show


def f(a, b, c):
    d = {}
    for k in (a, b, c):
        d[k] = d.get(k, 0) + 1
    return d


show(f, (1, 2, 1), (3, 3, 3), (1, True, 1.0))
