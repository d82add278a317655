# Arrays of 32-bit ints: read as ints, stored where they fit.
from array import array

from snekpy import stage


@stage
def scaled(xs, factor):
    total = 0
    for index in range(len(xs)):
        xs[index] = xs[index] * factor
        total += xs[index]
    return total


@stage
def least(xs):
    best = xs[0]
    for x in xs:
        if x < best:
            best = x
    return best


xs = array("i", [1, -2, 3, 2**31 - 1, -(2**31)])
print(scaled(xs, 1), xs, least(xs))
try:
    scaled(xs, 2)
except OverflowError as error:
    print(type(error).__name__, xs)
print(scaled(xs, 1), least(xs), xs)
try:
    scaled(xs, 0.5)
except TypeError as error:
    print(type(error).__name__, xs)
print(scaled(array("i", range(1000)), 3), memoryview(xs).tolist(), least(memoryview(xs)))
