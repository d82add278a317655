# A17: two `if`s one after the other change the same variables.
from support import show


def steps(n):
    s = 0
    i = 0
    if i < n:
        s = s * 10 + i
        i += 1
    if i < n:
        s = s * 10 + i
        i += 2
    return s, i


show(steps, -1, 0, 1, 2, 3)
