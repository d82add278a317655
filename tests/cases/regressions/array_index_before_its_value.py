# An assignment to an item of an array looks at the index first, then at the value, then at the range of the index.
#@ reference snekpy: CPython looks at the range before the value, and has other words
from array import array

from support import stage


def put(xs, i, x):
    xs[i] = x
    return xs[0]


for typecode in "qd":
    for i, x in ((0.5, 2.5), (0, 2.5), (9, 2.5), (9, "a"), (None, "a"), (0.5, 1), (-1, 7)):
        try:
            print(stage(put)(array(typecode, [1, 2]), i, x))
        except (TypeError, IndexError) as error:
            print(type(error).__name__, error)
