"""Loops over the elements of arrays beside the same loops over lists of floats: `snekpy benches/elements.py`.

Both are staged, in one run; the ratio is that of the best of some rounds of each. Rows of nested lists are indexed as
`a[i][j]`, arrays as `a[i, j]`.
"""

import time

import snekpy.numpy as np
from snekpy import stage

ROUNDS = 7


def total(x, n):
    acc = 0.0
    for i in range(n):
        acc += x[i]
    return acc


def dot(x, y, n):
    acc = 0.0
    for i in range(n):
        acc += x[i] * y[i]
    return acc


def prefix(x, n):
    for i in range(1, n):
        x[i] = x[i - 1] * 0.5 + x[i]
    return x[n - 1]


def bubble(x, n):
    for end in range(n - 1, 0, -1):
        for i in range(end):
            if x[i] > x[i + 1]:
                x[i], x[i + 1] = x[i + 1], x[i]
    return x[0]


def multiply_lists(a, b, c, n):
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    return c[0][0]


def multiply(a, b, c, n):
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c[0, 0]


def heat_lists(u, v, n, steps):
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                v[i][j] = u[i][j] + 0.1 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i][j] = v[i][j]
    return u[1][1]


def heat(u, v, n, steps):
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                v[i, j] = u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = v[i, j]
    return u[1, 1]


def best(function, make):
    """The shortest time of a call, after two, in milliseconds."""
    times = []
    for _ in range(ROUNDS + 2):
        args = make()
        start = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - start)
    return min(times[2:]) * 1e3


def row(name, on_lists, on_arrays, make):
    """`make(array)` gives the arguments, what is nested lists of floats through `array`."""
    lists = best(stage(on_lists), lambda: make(lambda x: x))
    arrays = best(stage(on_arrays), lambda: make(np.array))
    print(f"{name:12} {lists:10.3f} {arrays:10.3f} {arrays / lists:8.2f}")


def floats(*dims):
    if len(dims) > 1:
        return [floats(*dims[1:]) for _ in range(dims[0])]
    return [(i * 7919 % 1009) / 1009 for i in range(dims[0])]


print(f"{'':12} {'lists, ms':>10} {'arrays, ms':>10} {'ratio':>8}")
row("sum", total, total, lambda of: (of(floats(300_000)), 300_000))
row("dot", dot, dot, lambda of: (of(floats(300_000)), of(floats(300_000)), 300_000))
row("prefix", prefix, prefix, lambda of: (of(floats(300_000)), 300_000))
row("bubble", bubble, bubble, lambda of: (of(floats(1_000)), 1_000))
row("product", multiply_lists, multiply, lambda of: (of(floats(100, 100)), of(floats(100, 100)), of(floats(100, 100)), 100))
row("heat", heat_lists, heat, lambda of: (of(floats(100, 100)), of(floats(100, 100)), 100, 20))
