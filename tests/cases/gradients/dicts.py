# Dicts of floats that are filled, read, and changed: a cotangent belongs to the key.
import math

from snekpy import grad, jvp, stage
from support import rounded


def filled(x, n):
    d = {}
    for i in range(n):
        d[i] = x * i + math.sin(x)
    total = 0.0
    for k in d:
        total += d[k] * (k % 3)
    return total


def counted(x, n):
    d = {}
    for i in range(n):
        d[i % 5] = d.get(i % 5, 0.0) + (x + i) ** 2
    total = 0.0
    for v in d.values():
        total += v * v
    return total


def taken_out(x, n):
    d = {}
    total = 0.0
    for i in range(n):
        d[i] = x * i
        if i % 3 == 0:
            total += d.pop(i) * x
        total += d.get(i, math.sin(x)) * 0.5
        if len(d) > 4:
            d.clear()
            d[i] = total
    return total + sum(d.values())


def known(x, n):
    memo = {}

    def f(k):
        if k < 2:
            return x
        if k in memo:
            return memo[k]
        found = 0.5 * f(k - 1) + 0.6 * f(k - 2) * x
        memo[k] = found
        return found

    return f(n)


def shortest(weights, n):
    distances = {i: 1e9 for i in range(n)}
    distances[0] = 0.0
    for _ in range(n):
        for i in range(n - 1):
            for j in range(i + 1, n):
                along = distances[i] + weights[(i * 3 + j) % 7] * (j - i)
                if along < distances[j]:
                    distances[j] = along
    return distances[n - 1]


def missing(x, n):
    d = {0: x}
    for i in range(n):
        d[i] = x * i
    try:
        return d[n + 1] * x
    except KeyError:
        return d[n - 1] * x


for f in (filled, counted, taken_out, known, missing):
    print(f.__name__, rounded([grad(f)(0.3, n) for n in (1, 2, 9, 30)]))
    staged = stage(lambda x, n, f=f: grad(f)(x, n))
    print([staged(0.3, n) == grad(f)(0.3, n) for n in (1, 2, 9, 30)])
    print(rounded([jvp(lambda x, f=f, n=n: f(x, n), (0.3,), (1.0,))[1] for n in (1, 9)]))

print(rounded(grad(shortest)([0.5, 0.2, 0.3, 0.9, 0.4, 0.7, 0.35], 6)))
print(rounded(grad(lambda x: grad(counted)(x, 12))(0.3)))
