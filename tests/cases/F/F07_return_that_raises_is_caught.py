# F07: the expression of `return` raises and is caught.
from support import show


def risky(x):
    if x > 2:
        raise ValueError(x)
    return x


def f(x):
    try:
        return risky(x)
    except ValueError:
        pass
    return 1


show(f, 2, 3, -1)
