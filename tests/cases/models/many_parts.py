# Models of many layers in lists, and of many arrays in dicts: taken apart, and differentiated by.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import nn, random, stage, value_and_grad


class Layer:
    def __init__(self, scale):
        self.w = np.ones(3) * scale


def through(layers, x):
    for layer in layers:
        x = np.tanh(x * layer.w)
    return x.sum()


def train(layers, x, rounds):
    total = 0.0
    for _ in range(rounds):
        value, grads = value_and_grad(through)(layers, x)
        for layer, grad in zip(layers, grads):
            layer.w -= 0.1 * grad.w
        total += value
    return total


def summed(parameters, x):
    total = 0.0
    for name, value in parameters.items():
        total += (value * x).sum() * len(name)
    return total


def step(parameters, x):
    value, grads = value_and_grad(summed)(parameters, x)
    return value, {name: parameters[name] - 0.5 * grads[name] for name in parameters}


def deep(model, x):
    value, grads = value_and_grad(lambda model, x: (model(x) ** 2).mean())(model, x)
    return value + sum((layer.weight**2).sum() for layer in grads.layers)


X = np.array([0.5, -1.0, 2.0])
for count in 9, 12, 20:
    layers, staged = [Layer(1.0 + at / count) for at in range(count)], stage(train, strict="leave")
    print(count, [round(float(staged(layers, X, rounds)), 9) for rounds in (2, 3)])
for count in 33, 40:
    parameters, staged = {f"p{at}": np.ones(3) * at for at in range(count)}, stage(step, strict="leave")
    for _ in range(3):
        value, parameters = staged(parameters, X)
    print(count, round(float(value), 6), round(float(parameters["p7"].sum()), 6))
model = nn.Sequential(*(nn.Linear(4, 4, key=random.key(at)) for at in range(10)))
staged = stage(deep, strict="leave")
print([round(float(staged(model, np.ones((2, 4)) * at)), 9) for at in (1, 2)])
