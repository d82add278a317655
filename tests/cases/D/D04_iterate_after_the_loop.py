# D04: the loop variable after the loop; unbound when the loop did not run.
from support import show


def f(n):
    for i in range(n):
        pass
    return i


show(f, 3, 0, 1, -1)
