# L09: arrays of different lengths, then one array under two names.
from array import array

from snekpy import stage


@stage
def same(a, b):
    return a is b


@stage
def written(a, b):
    a[0] = 5
    b[0] += 1
    return a[0], a is b


@stage
def grown(a, b):
    a.append(3)
    b[0] = len(a)
    return a[0], len(b), a is b


x, y, z = array("q", [1, 2]), array("q", [1]), array("d", [1, 2])
for function in (same, written, grown):
    for a, b in ((x, y), (x, x), (y, x), (y, y), (z, x), (z, z), (x, x)):
        print(function(a, b), a.tolist(), b.tolist())
