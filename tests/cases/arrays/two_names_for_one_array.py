# Two parameters that are the same array see each other's writes.
from snekpy import stage
from array import array


def shift(a, b):
    for i in range(1, len(a)):
        a[i] = b[i - 1] + 1
    return a[0], b[len(b) - 1]


shift = stage(shift)
a, b = array("q", [5, 0, 0, 0]), array("q", [7, 8, 9, 10])
print(shift(a, b), a.tolist(), b.tolist())
print(shift(a, a), a.tolist())
print(shift(b, a), a.tolist(), b.tolist())
