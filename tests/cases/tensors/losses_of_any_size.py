"""Losses over batches of any size: no more than a few pieces of code, forward and differentiated."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import random, stage, value_and_grad


def mean(w, x, a, v):
    return (x @ w).mean() + (x @ w).var() + (x @ w).std(axis=0).sum()


def chosen(w, x, a, v):
    return (x @ w)[np.arange(len(a)), a].mean() + np.take_along_axis(x @ w, a[:, None], axis=1).mean()


def distances(w, x, a, v):
    y = x @ w
    return ((y[:, None, :] - y[None, :, :]) ** 2).sum(axis=-1).mean()


def ridge(w, x, a, v):
    return ((x @ x.T + 0.1 * np.eye(len(x))) @ (x @ w)).sum() + np.eye(len(x), k=1).sum() + np.eye(3, len(x)).sum()


def moved(w, x, a, v):
    y = x @ w
    return (
        np.pad(y, ((1, 1), (0, 0))).mean()
        + np.repeat(y, 2, axis=0).mean()
        + np.roll(y, 1, axis=0)[0].sum()
        + np.tile(y, (2, 1)).mean()
        + np.concatenate([y, y]).mean()
        + y[: x.shape[0] - 1].mean()
        + y[1 : len(x)].mean()
    )


def masked(w, x, a, v):
    steps = np.arange(x.shape[0])
    return (np.where(steps < 5, v, 0.0) * (x @ w)[:, 0]).mean() + (np.arange(1, len(x), dtype="float64") * v[1:]).sum() * w[0, 0]


def cross_entropy(w, x, a, v):
    z = x @ w
    z = z - z.max(axis=1, keepdims=True)
    return -(z - np.log(np.exp(z).sum(axis=1, keepdims=True)))[np.arange(len(a)), a].mean()


def both(loss):
    return lambda w, x, a, v: value_and_grad(loss)(w, x, a, v)


for loss in (mean, chosen, distances, ridge, moved, masked, cross_entropy):
    forward, backward = stage(loss), stage(both(loss))
    for n in range(6, 13):
        w = random.normal(random.key(1), (4, 2), dtype="float64") * 0.1
        x = random.normal(random.key(n), (n, 4), dtype="float64")
        args = w, x, np.arange(n) % 2, np.linspace(0.1, 1.0, n)
        value, slope = backward(*args)
        assert float(value) == float(forward(*args)) == float(loss(*args)), loss.__name__
        print(loss.__name__, n, round(float(value), 9), slope.round(9).tolist())
    for function in (forward, backward):
        made = len(function.stats()["specialisations"])
        assert made <= 3, (loss.__name__, made)
