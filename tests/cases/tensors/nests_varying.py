"""Nests whose sizes differ from call to call: one code, which has the bits that eager code has with each of them."""
#@ reference snekpy: `snekpy.numpy` is not in CPython

import snekpy.numpy as np
from snekpy import stage


def show(name, *arrays):
    for x in arrays:
        x = np.asarray(x)
        print(name, x.dtype, x.shape, [repr(it) for it in x.reshape(-1)[:19].tolist()])


def numbers(*shape, dtype=np.float64, seed=0.0):
    n = 1
    for size in shape:
        n *= size
    x = (np.arange(n, dtype=np.float64) * 0.7548776662466927 + seed) % 1.0
    return (x * 4 - 2).reshape(shape).astype(dtype)


@stage
def sequence(xs, w, h):
    for t in range(len(xs)):
        h = np.tanh(xs[t] + w @ h)
    return h


@stage
def backwards(xs, h):
    for t in range(len(xs)):
        h = h * 0.5 + xs[-t - 1]
    return h


@stage
def layer(x, w, b, n):
    for i in range(n):
        x = np.maximum(x @ w.T + b, -0.5) * 0.75
    return x


@stage
def turned(x, w, n):
    for i in range(n):
        x = (x.T @ w).T * 0.25 + x
    return x


@stage
def attention(q, k, v, n):
    for i in range(n):
        s = q @ k.T * 0.25
        s = s - s.max(axis=1, keepdims=True)
        e = np.exp(s)
        q = (e / e.sum(axis=1, keepdims=True)) @ v + q * 0.5
    return q


@stage
def steps(x, n):
    for i in range(n):
        d = x[1:] - x[:-1]
        x = x * 0.5 + d.sum() - d[::-1].max() + x[::-1] * 0.125
    return x


@stage
def pairs(x, y, n):
    for i in range(n):
        d = x[:, None] - y[None, :]
        x = x + (d * d).sum(axis=1) * 0.01 - d.min(axis=1)
    return x


@stage
def twice(x, n):
    for i in range(n):
        x = np.concatenate([x[:1], x[1:] * 0.5 + x[:-1]])
    return x


@stage
def whole(x, y, n):
    for i in range(n):
        x = np.where(x > y, x - y, y * 3 ^ x)
        y = y + x.sum()
    return x, y


@stage
def ring(x, k, n):
    for i in range(n):
        x = x.reshape(-1, k).sum(axis=1).reshape(-1, 1) * 0.125 + x.reshape(-1, k)
        x = x.reshape(-1)
    return x


for dtype in (np.float64, np.float32):
    for t in (3, 5, 2, 9, 1, 17):
        show("sequence", sequence(numbers(t, 4, dtype=dtype), numbers(4, 4, dtype=dtype), numbers(4, dtype=dtype)))
        show("backwards", backwards(numbers(t, 7, dtype=dtype), numbers(7, dtype=dtype)))
    for m, k in ((3, 4), (5, 8), (2, 3), (16, 16), (7, 13), (1, 5), (40, 9), (33, 33)):
        x, w, b = numbers(m, k, dtype=dtype), numbers(k, k, dtype=dtype, seed=0.2), numbers(k, dtype=dtype)
        show("layer", layer(x, w, b, 4))
        show("turned", turned(numbers(k, m, dtype=dtype), w, 3))
    for m, n, k in ((2, 3, 4), (3, 5, 4), (8, 16, 4), (5, 33, 4), (17, 2, 4), (64, 65, 4)):
        q, key, v = numbers(m, k, dtype=dtype), numbers(n, k, dtype=dtype, seed=0.1), numbers(n, k, dtype=dtype, seed=0.6)
        show("attention", attention(q, key, v, 3))
        show("pairs", pairs(numbers(m, dtype=dtype), numbers(n, dtype=dtype, seed=0.7), 3))
    for n in (4, 6, 3, 2, 15, 16, 17, 31, 32, 33, 47, 64, 100, 513, 4096, 4097, 5000):
        show("steps", steps(numbers(n, dtype=dtype), 3))
        show("twice", twice(numbers(n, dtype=dtype), 3))
    for n, k in ((6, 3), (10, 5), (12, 3), (64, 4), (99, 3)):
        show("ring", ring(numbers(n, dtype=dtype), k, 3))
for n in (3, 4, 9, 16, 21, 40):
    show("whole", *whole(np.arange(n) - 2, np.arange(n) * 3, 4))
empty = numbers(0)
try:
    show("steps", steps(numbers(1), 3))
except ValueError as error:
    print("ValueError", error)
for n in (5, 3, 6):
    try:
        show("pairs", pairs(numbers(n), empty, 2))
    except ValueError as error:
        print("ValueError", error)
