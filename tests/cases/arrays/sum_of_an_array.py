# An array is passed by reference; its items and its length are read in staged code.
from array import array

from support import show


def total(a):
    s = 0
    for v in a:
        s += v
    return s, len(a)


def by_index(a):
    s = 0
    for i in range(len(a)):
        s += a[i] * i
    return s


show(total, array("d", [1.5, 2, 3]), array("d"), array("q", [1, 2, 3]), array("f", [0.1, 0.25]))
show(by_index, array("d", [1.5, 2, 3]), array("d"), array("q", [1, 2, 3]), array("l", [4, 5]))
