# Dicts of floats that are made in loops and in recursive functions, passed on, given back, and changed.
import math

from snekpy import grad, jvp, stage
from support import rounded


def each(x, n):
    s = 0.0
    for j in range(n):
        d = {}
        for i in range(n):
            d[i % 3] = d.get(i % 3, x) * 0.5 + math.sin(x * i * (j + 1))
        for k in d:
            s += d[k] ** 2 * (k + 1)
        if 1 in d:
            s += d.pop(1)
        d[7] = s * x
        s = s * 0.5 + d[7] + sum(d.values(), 0.0)
    return s


def recursive(x, n):
    if n == 0:
        return x
    d = {1: x * n, 2: x}
    d[n] = x * x
    return d[n] + recursive(x * 0.5, n - 1) * d[1] + 0.1 * sum(d.values(), 0.0)


def fill(d, x, n):
    if n > 0:
        d[n] = math.sin(x * n) + d.get(n + 1, x)
        fill(d, x * 0.9, n - 1)


def passed(x, n):
    d = {}
    fill(d, x, n)
    return sum(d.values(), 0.0) + d.get(100, x * x)


def made(x, n):
    d = {0: x}
    for i in range(n):
        d[i] = d[i // 2] * 1.01 + x
    return d


def given(x, n):
    total = 0.0
    for i in range(3):
        d = made(x * (i + 1), n)
        total += d[0] * d[n // 2]
        d.clear()
        d[0] = total * x
        total += d[0]
    return total


def by_floats(x, n):
    d, total = {}, 0.0
    for i in range(n):
        d[i * 0.5] = x * i
    for j in range(n):
        e = {j * 0.5: d[j * 0.5] * x}
        total += e[j * 0.5]
    return total


def memoised(x, n):
    total = 0.0
    for r in range(3):
        known = {}

        def f(k):
            if k < 2:
                return x + r
            if k not in known:
                known[k] = 0.5 * f(k - 1) + x * f(k - 2)
            return known[k]

        total += f(n)
    return total


WORLD = {}


def of_the_world(x, n):
    if n == 0:
        return x
    WORLD[n] = x * n
    rest = of_the_world(x * 0.9, n - 1)
    return rest + WORLD[n] * WORLD[1]


for f in each, recursive, passed, given, by_floats, memoised, of_the_world:
    for n in 1, 4, 7:
        g = grad(f)(0.7, n)
        print(f.__name__, n, rounded(g), rounded(jvp(lambda x: f(x, n), (0.7,), (1.0,))))
        print(stage(lambda x, n: grad(f)(x, n))(0.7, n) == g, f"{grad(grad(f))(0.7, n) + 1.0:.4g}")
    print(sorted(WORLD))
