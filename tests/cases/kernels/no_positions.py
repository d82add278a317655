"""An index space with nothing in it: nobody knows what its body would have given, staged or not."""
#@ reference snekpy: CPython has no kernels

import snekpy.numpy as np
from snekpy import parallel, parallel_sum, stage


def whole(i):
    return i * 2


def halves(i):
    return i, i * 0.5


def over(i, j):
    return i + 0.25 * j


def of_array(i, xs):
    return xs[i] + 1


@stage
def run(n, xs):
    return (
        parallel(whole, n), parallel(halves, n), parallel(over, (n, 2)), parallel_sum(whole, n), parallel_sum(over, (n, 3)),
        parallel(of_array, n, xs), parallel_sum(of_array, n, xs),
    )


for n in (2, 0, 1, 0):
    print(run(n, np.arange(4)))
print(run(0, np.arange(0, dtype=np.float32)))
