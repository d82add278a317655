# An array refuses an item that does not fit.
from array import array

from snekpy import stage


def put(a, v):
    a[0] = v
    return a[0]


put = stage(put)
for a, v in ((array("d", [0]), 3), (array("d", [0]), True), (array("q", [0]), True), (array("q", [0]), 0.5)):
    try:
        print(repr(put(a, v)), a.tolist())
    except TypeError as error:
        print(type(error).__name__, a.tolist())
