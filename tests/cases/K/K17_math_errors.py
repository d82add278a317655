# K: outside of its domain, math raises. CPython 3.14 adds the value to some messages, so only the type
# is printed.
import math

from snekpy import stage


def root(x):
    return math.sqrt(x)


def log(x):
    return math.log(x)


def exp(x):
    return math.exp(x)


for function, values in ((root, (4, -1, -0.5, 0)), (log, (1, 0, -2, 0.0)), (exp, (0, 1000, -1000))):
    staged = stage(function)
    for value in values:
        try:
            print(function.__name__, value, staged(value))
        except (ValueError, OverflowError) as error:
            print(function.__name__, value, type(error).__name__)
