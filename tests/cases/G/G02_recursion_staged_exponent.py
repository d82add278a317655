# G02: recursion over a staged number becomes a recursive function.
from support import show


def power(b, n):
    if n == 0:
        return 1
    else:
        return b * power(b, n - 1)


show(power, (2, 3), (2, 0), (2, 10), (3, 1), (-2, 5))
