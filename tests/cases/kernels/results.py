# What functions may give: ints, floats, bools, tuples, constants; and how it is stored.
from array import array

from snekpy import kernel, parallel


def halves(i):
    return i // 2, i / 2, i % 2 == 0


def scaled(i, xs, factor):
    return xs[i] * factor


def seven(i):
    return 7


def third(i):
    return i / 3


def cell(i, j, k):
    return 100 * i + 10 * j + k


for target in ("cpu", "simt"):
    print([(column.typecode, column.tolist()) for column in parallel(halves, 5, target=target)])
    print(parallel(scaled, 3, array("d", [1.0, 2.5, -3.0]), 2.0, target=target).tolist())
    print(parallel(scaled, 3, array("q", [1, 2, 3]), 5, target=target).tolist())
    print(parallel(seven, 3, target=target).tolist())
    print(parallel(third, 4, dtype="float32", target=target).tolist())
    print(parallel(cell, (2, 3, 2), target=target).tolist())
    print(len(parallel(third, 0, target=target)), len(parallel(cell, (2, 0, 5), target=target)))

k = kernel(scaled, 1, array("d", [0.0]), 1.0)
print(k(2, array("d", [1.5, 2.5]), 4.0).tolist(), k(1, array("d", [3.0]), 0.5).tolist())
