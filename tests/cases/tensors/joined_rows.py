"""Functions that take the rows of an array as a sequence, of arrays whose number of rows changes."""
#@ reference snekpy: `snekpy.numpy` is not in CPython

import snekpy.numpy as np
from snekpy import stage


@stage
def joined(x):
    return np.concatenate(x)


@stage
def stacked(x):
    return np.stack(x, axis=1)


@stage
def listed(x):
    return [float(np.sum(row)) for row in list(x)], len(tuple(x))


@stage
def zipped(x, y):
    return [float(np.sum(a * b)) for a, b in zip(x, y)]


@stage
def upright(x):
    return np.vstack(x), np.hstack(x)


@stage
def unpacked(x):
    first, *others = x
    return first, len(others)


@stage
def largest(x):
    return max(float(np.sum(it)) for it in x), sum(x)


for rows in 2, 3, 5, 4, 2:
    x = np.arange(rows * 3.0).reshape((rows, 3))
    print(joined(x), stacked(x), listed(x), zipped(x, x), upright(x), unpacked(x), largest(x))
