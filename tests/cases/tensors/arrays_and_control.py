# Elements of arrays decide where a staged function goes; errors of arrays are raised at their line.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage


@stage
def count_large(x, limit):
    count = 0
    for value in x:
        if value > limit:
            count += 1
    return count


@stage
def until(x, limit):
    steps = 0
    while x.sum() < limit:
        x = x * 2
        steps += 1
    return steps, x


@stage
def guarded(x, y):
    try:
        return (x + y).tolist()
    except ValueError as error:
        return str(error)


@stage
def ambiguous(x):
    if x > 1:
        return "all"
    return "none"


@stage
def position(x, i):
    return x[i] * 2


x = np.array([0.5, 1.5, 2.5])
for _ in range(2):
    print(count_large(x, 1.0), count_large(x, 5))
    print(until(x, 100.0), until(np.ones(2), 3))
    print(guarded(x, 1.0), guarded(x, np.ones(2)))
    print(ambiguous(np.array(2.0)), ambiguous(0.5))
    for bad in (lambda: ambiguous(x), lambda: position(x, 7), lambda: position(x, "a")):
        try:
            print(bad())
        except (ValueError, IndexError) as error:
            print(type(error).__name__, error)
    print(position(x, 2), position([4, 5], 1))
