# An index that is out of range is an IndexError, and what was written before it stays.
from array import array

from support import show


def get(a, i):
    return a[i]


def fill(a, n):
    for i in range(n):
        a[i] = i


show(get, (array("d", [1, 2]), 2), (array("d", [1, 2]), -2), (array("d", [1, 2]), -3), (array("q"), 0))
show(fill, (array("q", [9, 9]), 2), (array("q", [9, 9]), 3), (array("d", [9, 9]), 1))
