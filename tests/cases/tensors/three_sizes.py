"""Sizes of three and four axes that differ from call to call, at once, and of two beside a long one."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage


@stage
def total(x):
    return x.sum() + x.mean()


@stage
def rows(x, w):
    return np.tanh(x.reshape(-1, x.shape[-1]) @ w).mean(axis=0).sum()


@stage
def softmax(x):
    z = np.exp(x - x.max(axis=-1, keepdims=True))
    return (z / z.sum(axis=-1, keepdims=True)).transpose(2, 0, 1).reshape(-1)[:3]


@stage
def four(x):
    return x.sum(axis=(1, 3)).mean(), x.size, x.reshape(-1).shape, len(x)


for k in range(2, 8):
    x = np.arange(k * (k + 1) * (k + 2)).reshape(k, k + 1, k + 2) / 100.0
    print(round(float(total(x)), 6), round(float(rows(x, np.ones((k + 2, 3)))), 6), softmax(x).round(6).tolist())
for k in range(2, 7):
    print(four(np.ones((k, 2 * k, k + 1, 3))))
for k in range(2, 5):
    print(float(total(np.ones((k, k + 1, 48_000)))))
