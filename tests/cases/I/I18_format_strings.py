# I18: f-strings of staged numbers.
from support import show


def f(x, n):
    return f"{x:.2f} {n:>5d} {n!r} {x}"


def g(x):
    print(f"  x is {x}, {x:08.3f}", "%s" % x, str(x))
    return 0


show(f, (1.5, 3), (2, 7), (0.1, -1))
show(g, 0.5, 3)
