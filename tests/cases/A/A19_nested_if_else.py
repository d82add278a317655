# A19: four leaves with four formulas.
from support import show


def leaves(a, b):
    if a > 0:
        if b > 0:
            r = a + b
        else:
            r = a - b
    else:
        if b > 0:
            r = a * b
        else:
            r = a - 2 * b
    return r


show(leaves, (3, 2), (3, -2), (-3, 2), (-3, -2), (0, 0), (1.5, -2))
