# G03: the recursive call is part of an expression; no variable is needed.
from support import show


def weave(x, n):
    if n <= 0:
        return x
    return x + weave(x - 1, n - 1) * 2 - n


def mean(x, n):
    if n <= 0:
        return x
    return (mean(x * 0.5, n - 1) + x) / 2


show(weave, (5, 3), (5, 0), (0, 4))
show(mean, (8.0, 3), (1.0, 0))
