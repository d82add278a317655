# The exception is that of the lowest index that fails, as the loop in order would raise it.
#@ reference snekpy: the texts of exceptions are RustPython's
import math
from array import array

from snekpy import parallel, parallel_sum


def item(i, xs):
    return xs[i]


def quotient(i, k):
    return 100 // (i - k)


def checked(i, limit):
    if i * i > limit:
        raise ValueError(f"{i} is too much")
    return i


def root(i, n):
    return math.sqrt(n - i)


def both(i, j):
    if (i + j) % 50 == 49:
        raise IndexError(i, j)
    return i - j


def says(function, *args, **options):
    try:
        result = function(*args, **options)
        print(result if isinstance(result, int) else result.tolist())
    except Exception as error:
        print(type(error).__name__, error)


for target in ("cpu", "simt"):
    says(parallel, item, 4, array("d", [1.0, 2.0, 3.0]), target=target)
    says(parallel, quotient, 1000, 700, target=target)
    says(parallel, checked, 5000, 1_000_000, target=target)
    says(parallel, checked, 50, 1_000_000, target=target)
    says(parallel, root, 100, 50, target=target)
    says(parallel, both, (40, 40), target=target)
    says(parallel_sum, checked, 5000, 1_000_000, target=target)
