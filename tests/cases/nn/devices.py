"""Nets on a device (the simulated GPU): nothing is copied unasked, results and training are those of the CPU."""
#@ reference snekpy: CPython has no `snekpy.nn`
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import nn, optim, random, value_and_grad

warnings.simplefilter("error", snekpy.ImplicitCopyWarning)
KEY = random.key(3)
k1, k2, k3 = random.split(KEY, 3)


class Recurrent:
    def __init__(self):
        self.lstm, self.out = nn.LSTM(3, 2, key=k1), nn.Linear(2, 2, key=k2)

    def __call__(self, x):
        outputs, _ = self.lstm(x, lengths=np.asarray([3, 1], device=x.device))
        return self.out(outputs)


class Attending:
    def __init__(self):
        self.layer = nn.TransformerEncoderLayer(4, 2, 4, dropout=0.0, key=k1)
        self.tied = self.layer.linear1

    def __call__(self, x):
        x = x + nn.sinusoidal_positions(x.shape[1], 4, device=x.device)
        return self.layer(x, causal=True) + self.tied(x)


NETS = {
    "perceptron": (
        nn.Sequential(nn.Linear(3, 4, key=k1), nn.LayerNorm(4), nn.relu, nn.Dropout(0.5), nn.Linear(4, 2, key=k2)), (2, 3),
    ),
    "convolutional": (
        nn.Sequential(nn.Conv2d(1, 2, 3, padding="same", key=k1), nn.BatchNorm(2), nn.silu, nn.MaxPool2d(2), nn.Flatten()), (2, 1, 4, 4),
    ),
    "recurrent": (Recurrent(), (3, 2, 3)),
    "attending": (Attending(), (1, 3, 4)),
}


def loss_of(model, x, key):
    y = model(x, training=True, key=key) if isinstance(model, nn.Layer) else model(x)
    return (y * y).mean()


def train(model, x, device):
    model, x = nn.to(model, device), x.to(device)
    # Adam would make as much of a slope that is but rounding, as a bias has that a norm takes off.
    opt = optim.SGD(model, 1e-2, 0.9)
    for n in range(2):
        loss, grads = nn.value_and_grad(loss_of)(model, x, random.fold_in(KEY, n))
        opt.update(model, grads)
    return float(loss.to("cpu")), nn.state(nn.to(model, "cpu"))


for name, (model, shape) in NETS.items():
    x = random.normal(k3, shape)
    here, there = model(x), nn.to(model, "simt")(x.to("simt"))
    assert there.device != here.device and np.allclose(here, there.to("cpu"), atol=1e-5), name
    (loss, arrays), (other, others) = train(model, x, "cpu"), train(model, x, "simt")
    assert abs(loss - other) < 1e-5, (name, loss, other)
    assert all(np.allclose(arrays[it], others[it], atol=1e-4) for it in arrays), name
    print(name, there.shape, round(loss, 3), len(arrays))
copied = nn.to(NETS["attending"][0], "simt")
print(copied.tied is copied.layer.linear1, nn.one_hot(np.asarray([1], device="simt"), 2).to("cpu").tolist())

layer = copied.layer
x = random.normal(k3, (1, 3, 4)).to("simt")
cache = layer.cache(1, 3)
parts = np.concatenate([layer(x[:, t : t + 1], cache=cache) for t in range(3)], axis=1)
print(bool(np.allclose(parts.to("cpu"), layer(x, causal=True).to("cpu"), atol=1e-5)))
