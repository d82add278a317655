"""Models that are made anew before each call, with functions and methods among their parts."""
#@ reference snekpy: `snekpy.numpy` is not in CPython

import snekpy.numpy as np
from snekpy import grad, stage, value_and_grad


class Sequential:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Scale:
    def __init__(self, by):
        self.w = np.ones((2, 2)) * by

    def __call__(self, x):
        return x @ self.w


def loss(model, x):
    return (model(x) ** 2).mean()


def halved(x):
    return x * 0.5


x = np.ones((3, 2))
staged = stage(lambda model, x: value_and_grad(loss)(model, x)[0])
for k in range(1, 4):
    for made in (
        lambda: Sequential(lambda x: x * 2, Scale(k)),
        lambda: Sequential(halved, Scale(k), np.tanh),
        lambda: Sequential(Scale(k).__call__, lambda x, k=k: x + k),
        lambda: Sequential(Sequential(lambda x: x - k), Scale(0.5)),
    ):
        value, by = value_and_grad(loss)(made(), x)
        print(k, round(float(value), 6), float(staged(made(), x)) == float(value), type(by).__name__)
