# H08: an assignment inside a comprehension leaks, as it should.
from support import show


def f(l):
    r = [y + 1 for v in l if (y := v * 2) is not None]
    return r, y


show(f, [1, 2, 3], [0.5])
