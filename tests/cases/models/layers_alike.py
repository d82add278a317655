# Layers whose ints decide what arrays look like, and ints beside them that change from call to call.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage, value_and_grad


class Heads:
    def __init__(self, heads, size, scale):
        self.calls, self.heads, self.shape = 0, heads, (heads, size // heads)
        self.w = np.arange(float(size * size)).reshape(size, size) * scale

    def __call__(self, x):
        y = (x @ self.w).reshape(len(x), *self.shape)
        return (y / self.heads).reshape(len(x), -1)


class Model:
    def __init__(self, *layers):
        self.layers, self.steps = list(layers), 0

    def __call__(self, x):
        for layer in self.layers:
            x = np.tanh(layer(x))
        return x


def loss_of(model, x):
    return (model(x) ** 2).mean() + model.steps * 0.5


@stage
def train(model, x, rounds):
    total = 0.0
    for _ in range(rounds):
        loss, grads = value_and_grad(loss_of)(model, x)
        for layer, grad in zip(model.layers, grads.layers):
            layer.w -= 0.1 * grad.w
            layer.calls += layer.heads
        total += loss
        model.steps += 1
    return total


x = np.arange(12.0).reshape(3, 4) / 12
for heads in (2, 2), (1, 4), (4, 2, 1):
    model = Model(*(Heads(it, 4, 0.01 * (at + 1)) for at, it in enumerate(heads)))
    for rounds in 2, 3, 2:
        total = train(model, x, rounds)
        print(heads, round(float(total), 9), model.steps, [it.calls for it in model.layers])
