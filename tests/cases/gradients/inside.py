# Gradients by lists of any length, and over tasks that are lists, in staged code and in what is differentiated: the bits of
# those that are called plainly.
#@ reference snekpy: differences do not have so many digits
import math

import snekpy.numpy as np
from snekpy import grad, stage

strict = stage(strict=True)


def error(p, data):
    total = 0.0
    for x, y in data:
        total += (p[0] * math.tanh(p[1] * x) - y) ** 2
    return total


def over_tasks(p, tasks):
    total = 0.0
    for train, test in tasks:
        slopes = grad(error)(p, train)
        total += error([a - 0.1 * b for a, b in zip(p, slopes)], test)
    return total


def length(items):
    total = 0.0
    for item in items:
        total += item * item
    return math.sqrt(total)


def shortened(n, times):
    items = [0.1 * i for i in range(1, n)]
    for _ in range(times):
        items = [item - 0.01 * slope for item, slope in zip(items, grad(length)(items))]
    return length(items)


def total(v):
    return sum([(v * v).sum(), v.sum()])


tasks = [([(0.1, 0.3), (0.5, -0.2)], [(0.3, 0.1)]), ([(0.7, 0.3), (-0.5, 0.2)], [(0.1, 0.4)])]
print(stage(lambda p: grad(over_tasks)(p, tasks))([0.3, 0.5]) == grad(over_tasks)([0.3, 0.5], tasks))
print(strict(shortened)(30, 5) == shortened(30, 5), strict(shortened)(7, 9) == shortened(7, 9))
v = np.array([0.5, 1.0, -0.3])
print(strict(total)(v) == total(v))
