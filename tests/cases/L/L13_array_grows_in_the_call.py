# L13: an array that was given as argument grows and shrinks in the call.
from array import array

from support import show


def filled(a, x):
    a.append(x)
    y = a[0]
    a.pop()
    return y, len(a), a


show(filled, (array("d"), 1), (array("q"), 2))
