# A02: an `if` without `else` changes a variable that was set before it.
from support import show


def step(n):
    i = 0
    if i < n:
        i += 1
    return i


show(step, 7, 0, -3, 2.5, True)
