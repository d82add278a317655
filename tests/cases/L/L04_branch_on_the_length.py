# L04: a branch on the length or the type of an array.
from array import array

from support import show


def by_length(a, x):
    if len(a) > 4:
        return a[4] + x
    if not len(a):
        return "empty"
    return a[0] * x, len(a)


def by_truth(a):
    if a:
        return a[-1]
    return "empty" if not a else "never"


def by_typecode(a, i):
    if a.typecode == "d":
        return a[i] / 2
    if a.typecode in ("q", "l"):
        return a[i] // 2
    return a.typecode, a.itemsize


def loop_to_the_length(a, n):
    total = 0
    i = 0
    while i < len(a) and i < n:
        total += a[i]
        i += 1
    return total, i == len(a)


show(by_length, (array("d", [1, 2, 3, 4, 5]), 1), (array("d", [3]), 2), (array("d"), 1), (array("q", range(5)), 0.5))
show(by_truth, array("d", [1, 2]), array("d"), array("q", [7]), array("q"))
show(by_typecode, (array("d", [3]), 0), (array("q", [3]), 0), (array("l", [-3]), -1), (array("f", [3]), 0))
show(loop_to_the_length, (array("q", [1, 2, 3]), 9), (array("q", [1, 2, 3]), 2), (array("d"), 1))
