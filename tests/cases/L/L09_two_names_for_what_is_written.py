# L09: an array is written in place under one name and read under another.
from array import array

from support import run, show
from snekpy import stage


class Layer:
    def __init__(self, weights):
        self.weights = weights


def two_parameters(a, b, x):
    a[0] = x
    return b[0], a is b, a == b


def local_alias(a, x):
    b = a
    b[0] += x
    if x > 0:
        c = b
    else:
        c = a[:]
    c[-1] = 9
    return a[0], a[-1], c is a


def through_an_object(layer, x):
    w = layer.weights
    for i in range(len(w)):
        w[i] *= x
    return layer.weights[0] if len(w) else None


def of_the_global(i, x):
    SHARED[i] = x
    return PARTS[0][i], PARTS[1] is SHARED


def view_of_a_copy(a, x):
    b = array(a.typecode, a)
    b[0] = x
    return a[0], b[0]


def read_before_and_after(a, i, j):
    before = a[i]
    a[j] = before + 1
    return before, a[i], a[j]


one = array("q", [1, 2])
show(two_parameters, (one, one, 5), (one, array("q", [1, 2]), 6), (one, array("d", [6, 2]), 6))
show(local_alias, (array("q", [1, 2]), 3), (array("q", [1, 2]), -3), (array("d", [1]), 0.5))
layer = Layer(array("d", [1, 2]))
staged = stage(through_an_object)
print(staged(layer, 2), list(layer.weights), staged(layer, 0.5), list(layer.weights))
layer.weights = array("q", [3])
print(staged(layer, 2), list(layer.weights))
layer.weights = array("d")
print(staged(layer, 2), list(layer.weights))
SHARED = array("q", [1, 2, 3])
PARTS = [SHARED, SHARED]
staged = stage(of_the_global)
run(of_the_global, staged, ((0, 7), (-1, 8), (3, 9)))
PARTS[0] = array("d", [0.5])
run(of_the_global, staged, ((0, 9), (1, 9)))
SHARED = PARTS[0]
run(of_the_global, staged, ((0, 2.5),))
print([list(part) for part in PARTS])
show(view_of_a_copy, (array("q", [1, 2]), 5), (array("d", [1]), 0.5))
show(read_before_and_after, (array("q", [1, 2]), 0, 1), (array("q", [1, 2]), 1, -1), (array("d", [1]), 0, 0))
