# G34: one function, several static values and several types.
from support import show
from snekpy import Static


def f(x, n: Static):
    for i in range(n):
        x = x * 2 + i
    return x


show(f, (1, 3), (1, 5), (0.5, 3), (1, 3), (True, 2), (7, 0))
