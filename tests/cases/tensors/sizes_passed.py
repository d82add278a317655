# Numbers among the arguments that say how large arrays are: beside plain calls, for few and for many numbers.
#@ reference snekpy: CPython has no devices
import warnings

import snekpy.numpy as np
from snekpy import grad, stage

warnings.simplefilter("ignore")


def shown(value):
    if isinstance(value, np.ndarray):
        return value.device, value.dtype.name, value.shape, value.to("cpu").tobytes()
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [shown(it) for it in value]
    return type(value).__name__, repr(value)


def outcome(function, args):
    try:
        return shown(function(*args))
    except Exception as error:
        lines, traceback = [], error.__traceback__
        while traceback is not None:
            lines.append(traceback.tb_lineno)
            traceback = traceback.tb_next
        return type(error).__name__, str(error), lines[1:]


def beside(function, *calls):
    staged = stage(function)
    for turn in range(2):
        for args in calls:
            found, expected = outcome(staged, args), outcome(function, args)
            assert found == expected, (function.__name__, args, found, expected)
    print(function.__name__, len(calls))


def x_on(device, n=24):
    return np.sin(np.arange(n, dtype="float32")).to(device)


def made(n, m):
    return np.zeros((n, m)), np.ones(n * 2), np.arange(n), np.full((m,), 2.5), np.eye(n, m)


beside(made, *[(n, m) for n in (0, 1, 3) for m in (2, 5)], (-1, 2), (2, -3), (True, 2))


def windows(x, size):
    total = 0.0
    for at in range(0, len(x) - size + 1, 2):
        total += float((x[at:at + size] * 2).sum())
    return total


def batches(x, size):
    total, n = [], 0
    for i in range(len(x) // size):
        part = x[i * size:(i + 1) * size]
        total.append((part.sum(), part[-1]))
        n += part.size
    return total, n


for device in ("cpu", "simt"):
    beside(windows, *[(x_on(device), size) for size in (1, 2, 5, 24, 30)])
    beside(batches, *[(x_on(device), size) for size in (1, 3, 5, 24, 0)])


def shaped(x, rows, by):
    y = x.reshape(rows, -1) * by
    return y, y.sum(axis=0), x.reshape((rows, len(x) // rows)).T + by


for device in ("cpu", "simt"):
    beside(shaped, *[(x_on(device), rows, by) for rows in (2, 4, 7, 0) for by in (2, 0.5)])


def many(n):
    """More than are known one by one."""
    x = np.arange(n) * 2
    return x.sum(), x[n // 2]


beside(many, *[(n,) for n in range(1, 40)], (0,))


def loops(n, steps):
    """The number of steps says nothing about arrays."""
    x = np.ones((n, n))
    for i in range(steps):
        x = x * 0.5 + i
    return x


beside(loops, *[(n, steps) for n in (1, 4) for steps in (0, 3, 50)])


def grows(n):
    x = np.ones(n)
    total = 0.0
    while n < 40:
        n = n * 2
        x = np.concatenate([x, np.ones(n)])
        total += float(x.sum())
    return x, total


beside(grows, (1,), (5,), (39,), (50,))


def sliced(x, start, length, step):
    return x[start:start + length], x[:length], x[length:], x[start:length:step]


for device in ("cpu", "simt"):
    beside(sliced, *[(x_on(device), a, b, c) for a in (0, 3, -2) for b in (1, 6) for c in (1, 2, -1)], (x_on(device), 1, 2, 0))


class Layer:
    def __init__(self, n):
        self.n = n

    def forward(self, x, k):
        return np.ones((self.n, k)) @ x.reshape(k, -1)


layer = Layer(3)
beside(layer.forward, *[(x_on("cpu"), k) for k in (2, 6, 8)])


def slope(w, k):
    return (w.reshape(k, -1).sum(axis=0) ** 2).sum()


beside(lambda w, k: grad(slope)(w, k), *[(x_on("cpu"), k) for k in (2, 3, 24)])


def nested(n):
    def inner(m):
        return np.zeros(m) + m

    return [inner(n), inner(n + 1), inner(2)]


beside(nested, (1,), (4,))


def recurs(n):
    return np.ones(n) if n < 2 else np.concatenate([recurs(n - 1), np.zeros(n)])


beside(recurs, (1,), (5,), (3,))


def wrong(x, n):
    return x.reshape(n, n) + np.zeros(n + 1)


beside(wrong, (x_on("cpu", 16), 4), (x_on("cpu", 1), 1), (x_on("cpu", 16), 3))
