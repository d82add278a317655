# G01: recursion over a number that is known: no branch, no call.
from support import show
from snekpy import Static


def power(b, n: Static):
    if n == 0:
        return 1
    return b * power(b, n - 1)


show(power, (2, 3), (2, 0), (2, 5), (1.5, 3), (3, 3))
