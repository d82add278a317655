"""Loops over small arrays: what code of its own computes, in memory that is used again, has the bits and the aliases of eager
code."""
#@ reference snekpy: `snekpy.numpy` is not in CPython

import snekpy.numpy as np
from snekpy import stage


def show(name, *arrays):
    for x in arrays:
        x = np.asarray(x)
        print(name, x.dtype, x.shape, [repr(it) for it in x.reshape(-1)[:17].tolist()])


def numbers(*shape, dtype=np.float64, seed=0.0):
    n = 1
    for size in shape:
        n *= size
    x = (np.arange(n, dtype=np.float64) * 0.7548776662466927 + seed) % 1.0
    return (x * 4 - 2).reshape(shape).astype(dtype)


@stage
def damped(x, y, n):
    for i in range(n):
        x = x * 0.5 + y
    return x


@stage
def cell(w, u, h, n):
    for i in range(n):
        h = np.tanh(w @ h + u)
    return h


@stage
def by_rows(x, w, b, n):
    for i in range(n):
        x = np.maximum(x @ w.T + b, -0.5) * 0.75
    return x


@stage
def mean_free(x, n):
    for i in range(n):
        x = x - x.max(axis=1, keepdims=True)
        e = np.exp(x)
        x = e / e.sum(axis=1, keepdims=True) + x * 0.25
    return x


@stage
def totals(xs, n):
    s = np.zeros(3)
    for t in range(n):
        x = xs[t]
        s = s + np.array([1.0, 0.5, 2.0]) * x.sum() - x.min() * x.prod() + xs[-t - 1].max()
    return s


@stage
def two_back(x, y, n):
    before = y
    for i in range(n):
        before, x = x, x * 0.5 - before
    return before, x


@stage
def all_kept(x, n):
    xs = []
    for i in range(n):
        x = x + 1.0
        xs.append(x)
    return xs


@stage
def one_kept(x, n):
    best = x
    for i in range(n):
        x = x * -1.25
        if x[0] > 3.0:
            best = x
    return best, x, best is x


@stage
def written(x, y, n):
    seen = x
    for i in range(n):
        z = x + y
        if i == 2:
            seen = z
        z[0] = i
        x = z * 0.5
    return x, z, seen


@stage
def viewed(x, n):
    v = x[1:]
    for i in range(n):
        x = x * 0.5 + 1.0
        if i == 1:
            v = x[1:]
    v[0] = 100.0
    return x, v


@stage
def chosen(x, y, n):
    for i in range(n):
        where = (x > y) | np.isnan(x) & ~(x == y)
        x, y = np.where(where, -x, np.abs(y) + 0.125), np.sqrt(np.abs(x)) / (y * y + 1.0)
    return x, y


@stage
def whole(x, y, n):
    for i in range(n):
        x = (x * 3 - y) ^ (x & 7)
        y = np.minimum(-x, np.abs(y)) + (x > 5)
    return x, y


@stage
def between(x, n):
    y = x.astype(np.float32)
    for i in range(n):
        y = (y * 1.5).astype(np.float32)
        x = x * 0.5 + y.astype(np.float64) + np.floor(x) - np.round(x)
    return x, y


@stage
def turned(x, n):
    for i in range(n):
        x = x.T[::-1] * 0.5 + x[0][:, None]
    return x


@stage
def at(table, where, n):
    s = np.zeros(5)
    for i in range(n):
        s = s * 0.5 + table[where + i]
    return s


@stage
def outer(a, b, n):
    for i in range(n):
        a = (a[:, None] * b[None, :]).sum(axis=1) * 0.25 + a
    return a


@stage
def left(x, y, n, last):
    for i in range(n):
        x = x * 0.5 + y
        if i == last:
            raise ValueError(x.tolist())
    return x


def again(x, depth):
    y = x * 0.5 + depth
    return y if depth == 0 else again(y, depth - 1) + y


deep = stage(again)

for n in (1, 2, 3, 4, 5, 8, 10, 16, 17, 64, 67, 300):
    show("damped", damped(numbers(n), numbers(n, seed=0.3), 7))
    show("damped f32", damped(numbers(n, dtype=np.float32), numbers(n, dtype=np.float32, seed=0.3), 7))
show("damped rows", damped(numbers(5, 3), numbers(3), 4), damped(numbers(5, 1), numbers(5, 3), 4))
for n in (1, 2, 3, 4, 7, 8, 10, 16, 20, 33, 64):
    show("cell", cell(numbers(n, n), numbers(n), numbers(n, seed=0.1), 5))
    small = np.float32
    show("cell f32", cell(numbers(n, n, dtype=small), numbers(n, dtype=small), numbers(n, dtype=small, seed=0.1), 5))
for m, k in ((1, 4), (2, 3), (5, 8), (8, 5), (17, 9), (3, 20)):
    show("by_rows", by_rows(numbers(m, k), numbers(k, k, seed=0.2), numbers(k), 4))
    show("by_rows turned", by_rows(numbers(k, m).T, numbers(k, k, seed=0.2), numbers(k), 4))
for m, k in ((1, 2), (2, 3), (4, 10), (3, 16), (2, 37), (1, 100)):
    show("mean_free", mean_free(numbers(m, k), 3), mean_free(numbers(m, k, dtype=np.float32), 3))
show("totals", totals(numbers(6, 4), 6))
try:
    print(totals(numbers(6, 4), 9))
except IndexError as error:
    print("IndexError", error)
show("two_back", *two_back(numbers(4), numbers(4, seed=0.3), 9))
show("all_kept", *all_kept(numbers(3), 6))
*kept, same = one_kept(numbers(3), 9)
show("one_kept", *kept)
print(same)
show("written", *written(numbers(3), numbers(3, seed=0.4), 6))
show("viewed", *viewed(numbers(4), 5), *viewed(numbers(4), 2))
nan = np.array([1.0, float("nan"), -0.0, 0.0, float("inf"), -float("inf"), 2.5])
show("chosen", *chosen(nan, nan[::-1], 5), *chosen(nan.astype(np.float32), nan[::-1].astype(np.float32), 5))
show("whole", *whole(np.arange(11) - 5, np.arange(11) * 3, 6))
show("between", *between(numbers(9) * 100, 4))
show("turned", turned(numbers(4, 4), 4))
table = numbers(12, 5)
show("at", at(table, 3, 5), at(table, -4, 3))
try:
    at(table, 9, 5)
except IndexError as error:
    print("IndexError", error)
show("outer", outer(numbers(6), numbers(5), 4))
x = numbers(3)
for last in (0, 3, 99):
    try:
        show("left", left(x, x, 6, last))
    except ValueError as error:
        print("ValueError", error)
show("x", x)
show("deep", deep(numbers(4), 9))
