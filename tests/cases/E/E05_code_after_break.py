# E05: what follows the `break` is guarded by it.
from support import show


def f(n, x):
    for i in range(n):
        if i == 2:
            break
        if x > 0:
            x -= 1
    return x, i


show(f, (5, 9), (5, 1), (1, 9), (2, 0))
