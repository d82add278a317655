"""A convolutional net that learns handwritten digits: `snekpy.nn`, `snekpy.optim`, and the whole training staged.

    snekpy examples/digits_conv.py [EPOCHS]

Images are 8x8. A batch is drawn anew in each epoch, and moved by a pixel at most: 1,500 images are few.
"""

import csv
import gzip
import pathlib
import sys
import time

import snekpy.numpy as np
from snekpy import nn, optim, random, stage

DATA = pathlib.Path(__file__).parent / "data" / "digits.csv.gz"
TESTING, BATCH = 297, 50


def load():
    """Images `(n, 1, 8, 8)` from 0 to 1, and digits."""
    with gzip.open(DATA, "rt") as file:
        rows = np.array([[int(cell) for cell in row] for row in csv.reader(file)])
    # The file is sorted by writer.
    order = random.permutation(random.key(1), len(rows))
    return (rows[:, :64].reshape(-1, 1, 8, 8).astype("float32") / 16)[order], rows[order, 64]


def net(key):
    """Two convolutions, normed, and two linear maps."""
    k1, k2, k3, k4 = random.split(key, 4)
    he = nn.initializers.he_normal()
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding="same", init=he, key=k1), nn.BatchNorm(16), nn.relu,
        nn.Conv2d(16, 32, 3, padding="same", init=he, key=k2), nn.BatchNorm(32), nn.relu, nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(512, 64, init=he, key=k3), nn.relu, nn.Dropout(0.5), nn.Linear(64, 10, key=k4),
    )  # fmt: skip


def loss_of(model, x, y, key):
    return nn.cross_entropy(model(x, training=True, key=key), y, label_smoothing=0.1)


def moved(x, key):
    """Images moved by a pixel at most, each to somewhere else."""
    n = len(x)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    down, right = random.randint(key, (2, n, 1, 1), 0, 3)
    rows, columns = np.arange(8).reshape(1, 8, 1) + down, np.arange(8).reshape(1, 1, 8) + right
    return padded[np.arange(n).reshape(n, 1, 1), 0, rows, columns].reshape(n, 1, 8, 8)


def accuracy(model, x, y):
    """The part of the images that are recognised."""
    return (np.argmax(model(x), axis=1) == y).mean()


@stage
def train(model, opt, x, y, x_test, y_test, epochs, key):
    """Goes through all images as often as said, and tests after each time."""
    for epoch in range(epochs):
        total, rounds = 0.0, len(x) // BATCH
        order = random.permutation(random.fold_in(key, epoch), len(x))
        for i in range(rounds):
            at, step = order[i * BATCH : (i + 1) * BATCH], random.fold_in(key, opt.count)
            loss, grads = nn.value_and_grad(loss_of)(model, moved(x[at], step), y[at], step)
            opt.update(model, grads)
            total += loss
        print(f"epoch {epoch + 1}: loss {total / rounds:.3f}, test accuracy {accuracy(model, x_test, y_test):.4f}")
    return accuracy(model, x_test, y_test)


def main(epochs):
    x, y = load()
    model = net(random.key(7))
    opt = optim.AdamW(model, optim.cosine_decay_schedule(3e-3, epochs * ((len(x) - TESTING) // BATCH)), weight_decay=1e-2)
    return train(model, opt, x[TESTING:], y[TESTING:], x[:TESTING], y[:TESTING], epochs, random.key(9))


if __name__ == "__main__":
    start = time.perf_counter()
    reached = main(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
    print(f"{time.perf_counter() - start:.1f} s", file=sys.stderr)
    sys.exit(bool(reached < 0.98))
