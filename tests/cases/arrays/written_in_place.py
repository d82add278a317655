# What staged code writes into an array is there after the call.
from array import array

from support import show


def scale(a, by):
    for i in range(len(a)):
        a[i] = a[i] * by


def add_to(a, i, v):
    a[i] += v
    return a[i]


show(scale, (array("d", [1, 2, 3]), 2), (array("d"), 2), (array("q", [1, 2]), 5), (array("f", [0.1]), 3))
show(add_to, (array("d", [1, 2, 3]), 1, 0.5), (array("d", [1, 2, 3]), -1, 1), (array("q", [1]), 0, 7))
