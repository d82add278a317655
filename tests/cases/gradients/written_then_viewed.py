# Gradients in staged code of functions that write into an array and then look at views of it, reshaped or not.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import grad, stage

X = np.array([0.5, 0.7, 0.1, 0.2])


def tiled_in_vain(x):
    y = x.copy()
    y[0] += x[1]
    np.tile(y[:2], 2)
    return y.sum()


def tiled(x):
    y = x.copy()
    y[0] += x[1]
    t = np.tile(y[:2], 2)
    return (t * t).sum() + y[3]


def reshaped(x):
    y = (x * 2.0).reshape(2, 2)
    y[1] *= x[0]
    flat = y[:, :].reshape(4)
    y[0, 0] = 3.0 * x[3]
    return (flat * x).sum()


def columns(x):
    y = np.outer(x, x)
    y[2:, 1] = x[:2]
    c = y[:, :2].reshape(8)
    y[0, 0] = 7.0
    return (c * c).sum() + y[0, 0]


def turned(x):
    y = np.outer(x, x)
    t = y.T.reshape(16)
    y[1, 2] = 5.0 * x[0]
    return (t * np.arange(16.0)).sum() + y.sum()


def strided(x):
    y = np.concatenate([x, x])
    every = y[::2].reshape(2, 2)
    y[2] = x[3] * x[3]
    return (every @ every).sum() + y.sum()


for f in tiled_in_vain, tiled, reshaped, columns, turned, strided:
    plain, staged, inside = grad(f)(X), grad(stage(f)), stage(lambda a: grad(f)(a))
    same = [[round(float(it), 9) for it in g(X)] == [round(float(it), 9) for it in plain] for g in (staged, inside)]
    print(f.__name__, [round(float(it), 6) for it in plain], same)
