# A21: the inner condition reads what the outer arm assigned.
from support import show


def dependent(x, y):
    if x > 0:
        y = x - 2
        if y > 0:
            x = -x
        else:
            x = x + y
    else:
        y = -x
    return x, y


show(dependent, (5, 0), (1, 0), (2, 7), (0, 7), (-3, 7))
