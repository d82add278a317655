"""A net of 784-50-10 that learns handwritten digits: arrays of `snekpy.numpy`, gradients written by hand.

    snekpy examples/digits_net.py [EPOCHS] [DEVICE]

The device is cpu, cuda, or simt, the simulated GPU.
"""

import csv
import gzip
import pathlib
import sys
import time

import snekpy.numpy as np
from snekpy import random

DATA = pathlib.Path(__file__).parent / "data" / "digits.csv.gz"
TESTING = 297


def load():
    """Images of 28x28 (each pixel of 8x8 is three by three, with a margin of two) and digits."""
    with gzip.open(DATA, "rt") as file:
        rows = np.array([[int(cell) for cell in row] for row in csv.reader(file)])
    small = rows[:, :64].reshape(-1, 8, 8).astype("float32") / 16
    large = small.repeat(3, axis=1).repeat(3, axis=2)
    images = np.pad(large, ((0, 0), (2, 2), (2, 2)))
    # The file is sorted by writer.
    order = random.permutation(random.key(1), len(rows))
    return images.reshape(-1, 784)[order], rows[order, 64]


def initial(key):
    """Weights with the variance that keeps that of the signals."""
    key1, key2 = random.split(key)
    w1 = random.normal(key1, (784, 50)) * (2 / 784) ** 0.5
    w2 = random.normal(key2, (50, 10)) * (2 / 50) ** 0.5
    return [w1, np.zeros(50, dtype="float32"), w2, np.zeros(10, dtype="float32")]


def forward(parameters, x):
    """What the net makes of images: the hidden layer, and the logits."""
    w1, b1, w2, b2 = parameters
    hidden = np.maximum(x @ w1 + b1, 0)
    return hidden, hidden @ w2 + b2


def softmax(logits):
    """Probabilities."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def gradients(parameters, x, y):
    """The mean cross entropy of a batch, and its derivatives."""
    w2 = parameters[2]
    hidden, logits = forward(parameters, x)
    p = softmax(logits)
    rows = np.arange(len(y), device=y.device)
    loss = -np.log(p[rows, y]).mean()
    d_logits = p
    d_logits[rows, y] -= 1
    d_logits /= len(y)
    d_hidden = d_logits @ w2.T
    d_hidden[hidden == 0] = 0
    return loss, [x.T @ d_hidden, d_hidden.sum(axis=0), hidden.T @ d_logits, d_logits.sum(axis=0)]


def accuracy(parameters, x, y):
    """The part of the images that are recognised."""
    return float((forward(parameters, x)[1].argmax(axis=1) == y).mean().to("cpu"))


def train(epochs, batch=50, rate=0.1, device="cpu"):
    """Learns from most images and is tested with the others."""
    x, y = (it.to(device) for it in load())
    x_test, y_test = x[:TESTING], y[:TESTING]
    x, y = x[TESTING:], y[TESTING:]
    key = random.key(7)
    parameters = [parameter.to(device) for parameter in initial(key)]
    for epoch in range(epochs):
        order = random.permutation(random.fold_in(key, epoch), len(y)).to(device)
        total = 0.0
        for at in np.split(order, len(y) // batch):
            loss, derivatives = gradients(parameters, x[at], y[at])
            for parameter, derivative in zip(parameters, derivatives):
                parameter -= rate * derivative
            total += float(loss.to("cpu"))
        mean = total / (len(y) // batch)
        print(f"epoch {epoch + 1}: loss {mean:.3f}, test accuracy {accuracy(parameters, x_test, y_test):.2f}")
    return accuracy(parameters, x_test, y_test)


if __name__ == "__main__":
    start = time.perf_counter()
    reached = train(int(sys.argv[1]) if len(sys.argv) > 1 else 10, device=sys.argv[2] if len(sys.argv) > 2 else "cpu")
    print(f"{time.perf_counter() - start:.1f} s", file=sys.stderr)
    sys.exit(reached < 0.9)
