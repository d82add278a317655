# A18: an `if` inside an `if`, each with a local of its own.
from support import show


def nested(a, b):
    s = 0
    if a > 0:
        j = a * 2
        if b > 0:
            k = j + b
            s = k
        else:
            s = j
    return s


show(nested, (1, 1), (1, 0), (0, 1), (0, 0))
