# A22: the inner `if` has no `else` and changes two variables.
from support import show


def dependent(x, y):
    if x > 0:
        y = x + 1
        if y > 3:
            x = 10 * x
            y = 10 * y
    return x, y


show(dependent, (5, 0), (2, 0), (3, 0), (0, 9), (-3, 9))
