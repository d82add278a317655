"""Ints of models and closures that decide what arrays look like, in a gradient inside staged code; batches of any size."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import grad, random, stage, value_and_grad


class Attention:
    def __init__(self, heads):
        self.heads = heads
        self.qkv = random.normal(random.key(heads), (8, 24), dtype="float64") * 0.3

    def __call__(self, x):
        n, d = x.shape
        q, k, v = np.split(x @ self.qkv, 3, axis=-1)
        q, k, v = (z.reshape(n, self.heads, d // self.heads).transpose(1, 0, 2) for z in (q, k, v))
        s = np.exp(q @ k.transpose(0, 2, 1) / (d // self.heads) ** 0.5)
        return ((s / s.sum(axis=-1, keepdims=True)) @ v).transpose(1, 0, 2).reshape(n, d)


def squares(model, x):
    return (model(x) ** 2).mean()


@stage
def step(model, x, rate):
    value, slope = value_and_grad(squares)(model, x)
    model.qkv = model.qkv - rate * slope.qkv
    return value, slope.heads


def cut(w, x, n):
    return (x[:, :n] @ w[:n]).sum() + w.reshape(n, -1)[0].sum()


@stage
def twice(w, x):
    return grad(cut)(w, x, 2), grad(cut)(w, x, 4)


@stage
def by_size(w, x, n):
    return grad(cut)(w, x, n)


class Noisy:
    def __init__(self, latent):
        self.latent = latent
        self.w = random.normal(random.key(7), (4, latent), dtype="float64")

    def loss(self, x, key):
        noise = random.normal(key, (len(x), self.latent), dtype="float64")
        return ((x @ self.w + 0.1 * noise) ** 2).mean()


@stage
def noisy(model, x, key):
    value, slope = value_and_grad(lambda it: it.loss(x, key))(model)
    return value, slope.w


two, four = Attention(2), Attention(4)
for n in range(3, 8):
    x = random.normal(random.key(n), (n, 8), dtype="float64")
    for model in (two, four):
        value, heads = step(model, x, 0.1)
        print(n, model.heads, round(float(value), 9), heads)
    print(twice(np.arange(8.0), x), by_size(np.arange(8.0), x, 2), by_size(np.arange(8.0), x, 4))
    value, slope = noisy(Noisy(2), x[:, :4], random.key(n))
    print(round(float(value), 9), slope.round(9).tolist())
print(round(float(two.qkv.sum()), 9), round(float(four.qkv.sum()), 9))
for function in (step, twice, by_size, noisy):
    made = len(function.stats()["specialisations"])
    assert made <= 6, (function.__name__, made)
