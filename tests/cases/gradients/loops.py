# Loops of unknown count, with breaks, continues, returns inside and loops inside: gradients are those by differences.
import math

from snekpy import grad, stage
from support import rounded


def squash(x):
    """The paper's figure 2 (Lantern), with a count that depends on the value."""
    y = x
    while y * y > 0.04:
        y = math.tanh(0.5 * y) + 0.02 * x
    return y


def halved(x):
    n = 0
    while x > 1.0:
        x = x / 2.0 + 0.01 * x * x
        n = n + 1
    return x + n


def broken(x):
    total = 0.0
    for i in range(40):
        total = total + x * i
        if total > 50.0:
            total = total * math.sin(x)
            break
        if i % 3 == 1:
            continue
        total = total + math.cos(total)
    return total


def returned(x, y):
    for i in range(60):
        if x > 8.0:
            return x * y + i
        x = x * 1.2 + y * y
    return x


def inner(x, n):
    total = 0.0
    for i in range(n):
        z = x
        j = 0
        while z < 3.0 + i:
            z = z * 1.25 + 0.1 * total / (1.0 + total * total)
            j += 1
            if j > 30:
                return total
        total = total + math.log(z) / (i + 1.0)
    return total


def last_one(x, n):
    # What a branch has made is used in the next iteration.
    seen = 0.5
    best = 0.0
    for i in range(n):
        y = math.sin(x * i)
        if y > seen:
            best = best + y * seen
            seen = y
        else:
            seen = seen * 0.9
    return best + seen


def unused(x, n):
    # Nothing of the first loop is differentiated.
    k = 0
    while k * k < n:
        k = k + 1
    total = x
    for _ in range(k):
        total = total * x
    return total


for f, calls in (
    (squash, [(3.0,), (0.3,), (-2.0,), (0.1,)]),
    (halved, [(0.5,), (7.0,), (30.0,)]),
    (broken, [(0.3,), (2.0,), (0.2,)]),
    (returned, [(1.0, 0.5), (9.0, 2.0), (0.2, 0.05)]),
    (inner, [(0.7, 4), (2.0, 9), (0.9, 0)]),
    (last_one, [(0.7, 5), (1.3, 20)]),
    (unused, [(1.1, 30), (0.9, 1)]),
):
    derivative = grad(f)
    staged = grad(stage(f))
    for args in calls:
        print(f.__name__, args, rounded(derivative(*args)), rounded(staged(*args)))
