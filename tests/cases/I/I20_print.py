# I20: print of staged numbers, alone and among other things.
from support import show


def f(x):
    print("x is", x, (x, 1), [x], sep="|", end=".\n")
    print(x)
    print()
    return x


show(f, 3, 0.5, True, -0.0)
