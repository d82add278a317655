# M07: a static argument is compared by value.
from snekpy import Static, stage


def f(x, n: Static):
    total = 0
    for i in range(n):
        total = total * 10 + x + i
    return total


f = stage(f)
print(f(1, 3), f(2, 3), f(1, 5), f(1, 0), f(1, True), f(1, 3))
