"""Gradients of loops over small arrays: cotangents are added up in place, in code that is made for them."""
#@ reference snekpy: `snekpy.numpy` and gradients are not in CPython

import zlib

import snekpy.numpy as np
from snekpy import stage, value_and_grad


def numbers(shape, more=0):
    count = 1
    for size in shape:
        count *= size
    return (((np.arange(count) + more) * 37 % 23 - 11) / 17.0).reshape(shape)


TURNS = 5
IDS = np.array([3, -1, 0, 3, 3, 1, -2, 2])
COLUMNS = np.array([0, 2, -1, 1, 4, 4, 0, 3])


def heat(x, y):
    for i in range(TURNS):
        x = np.concatenate([x[:1], x[1:-1] + 0.1 * (x[2:] - 2.0 * x[1:-1] + x[:-2]), x[-1:]])
    return (x * y).sum()


def picks(x, y):
    for i in range(TURNS):
        x = x * 0.9 + x[i] * y[2] - x[-1 - i] * x[0]
    return (x * y).sum()


def columns(x, y):
    for i in range(TURNS):
        x = np.tanh(x + x[:, i % 5][:, None] * y[i] - x[:, 1].reshape(8, 1))
    return x.sum()


def rolls(x, y):
    for i in range(TURNS):
        x = 0.5 * (np.roll(x, 1, 0) + np.roll(x, -2, 1)) * y
    return (x * x).sum()


def rows_at(x, y):
    for i in range(TURNS):
        x = np.tanh(x[IDS] * 0.7 + x * y)
    return x.sum()


def elements_at(x, y):
    total = 0.0
    for i in range(TURNS):
        total = total + x[np.arange(8), COLUMNS].sum() - np.take_along_axis(y, COLUMNS[:, None], axis=1).mean()
        x = x * 0.8 + y[::-1]
    return total


def joined(x, y):
    for i in range(TURNS):
        x = np.stack([x[0] * y[1], x[3] - x[1], x[2] + y[i], x[1], x[4], x[5] * 0.5, x[6], x[7]])
    return (x * y).sum()


def changed(x, y):
    for i in range(TURNS):
        x = x * 1.0
        x[1:-1] += 0.3 * y[2:]
        x[i] = x[i + 1] * y[0]
        x[IDS[:2]] = y[:2]
    return (x * x).sum()


def products(x, y):
    h = np.zeros((8, 5))
    for i in range(TURNS):
        h = np.tanh((x.T @ x) @ h.T + y.T).T @ (y.T @ y) * 0.1
    return (h * x).sum() + ((x @ y.T) * (y @ x.T)).sum()


def crossed(x, y):
    """The same place twice, in one sum and in several."""
    for i in range(TURNS):
        x = x + x[np.array([[1, 1], [0, 1]])].sum(axis=(0, 1)) * 0.1 + x[1] * y[1] + x[1:2] * y
    return x.sum()


def is_right(function, args, grads):
    """Along one direction, by differences."""
    step = 1e-6
    along = [numbers(it.shape, 5) for it in args]
    there, back = (function(*[a + sign * step * d for a, d in zip(args, along)]) for sign in (1, -1))
    told = sum((g * d).sum() for g, d in zip(grads, along))
    return bool(abs((there - back) / (2 * step) - told) < 1e-6 * (1 + abs(told)))


def show(function, *args):
    derivative = value_and_grad(function, argnums=(0, 1))

    def descend(x, y, steps):
        for _ in range(steps):
            value, (dx, dy) = derivative(x, y)
            x, y = x - 0.01 * dx, y - 0.01 * dy
        return value, x, y

    value, grads = derivative(*args)
    staged, plain = stage(descend)(*args, 3), descend(*args, 3)
    same = all(a.tobytes() == b.tobytes() for a, b in zip(staged, plain))
    print(function.__name__, *[f"{zlib.crc32(it.tobytes()):08x}" for it in (value, *grads)], same, is_right(function, args, grads))


for function in (heat, picks):
    show(function, numbers((17,)), numbers((17,), 3))
for function in (columns, rolls, rows_at, elements_at, joined, changed, products, crossed):
    show(function, numbers((8, 5)), numbers((8, 5), 3))
