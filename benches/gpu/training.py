"""Steps of training on a GPU: what benches/gpu/training_peers.py does with PyTorch and JAX. Prints lines of JSON.

    snekpy benches/gpu/training.py [cuda|simt]

The net of the peers' B2 (784-50-10, log softmax, SGD with momentum) and the recurrent one of their B3 (64 inputs, 256 states,
rows of different lengths). A time is that of a step of training: of a call for each, or of one call for all; or of a call of the
recurrent net; or of a solver that reads a number in each of some 1,000 iterations, small ones of which are kernels of one block.
"""

import sys

import snekpy.numpy as np
import timing
from snekpy import stage, value_and_grad

DEVICE = sys.argv[1] if len(sys.argv) > 1 else "cuda"
SMALL = DEVICE != "cuda"
STEPS = 2 if SMALL else 200


def numbers(*dims):
    """Some between -0.5 and 0.5, the same for each peer."""
    size = 1
    for extent in dims:
        size *= extent
    i = np.arange(size)
    return ((i * 7919 % 10007).astype("float32") / 10007.0 - 0.5).reshape(*dims)


def wait(x):
    x.reshape(-1)[:1].to("cpu")


def loss_of(parameters, x, y):
    w1, b1, w2, b2 = parameters
    hidden = np.maximum(x @ w1 + b1, 0)
    logits = hidden @ w2 + b2
    logits = logits - logits.max(axis=1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return -np.take_along_axis(logs, y[:, None], axis=1).mean()


@stage
def train(parameters, velocities, x, y, steps):
    loss = 0.0
    for _ in range(steps):
        loss, slopes = value_and_grad(loss_of)(parameters, x, y)
        velocities = [0.5 * v + g for v, g in zip(velocities, slopes)]
        parameters = [p - 0.01 * v for p, v in zip(parameters, velocities)]
    return parameters, velocities, loss


@stage
def recur(x, lengths, w, b):
    h = np.zeros((x.shape[1], 256), dtype="float32", device=w.device)
    outputs = []
    for t in range(x.shape[0]):
        new = np.tanh(np.concatenate([x[t], h], axis=1) @ w + b)
        live = lengths > t
        h = np.where(live, new, h)
        outputs.append(np.where(live, new, np.float32(0.0)))
    return np.stack(outputs), h


@stage
def recur_hoisted(x, lengths, w, b):
    given = x @ w[:64] + b
    w = w[64:]
    h = np.zeros((x.shape[1], 256), dtype="float32", device=w.device)
    outputs = []
    for t in range(x.shape[0]):
        new = np.tanh(given[t] + h @ w)
        live = lengths > t
        h = np.where(live, new, h)
        outputs.append(np.where(live, new, np.float32(0.0)))
    return np.stack(outputs), h


@stage
def solve(a, b, x, tolerance):
    """Richardson's iteration until the residual is small."""
    r = b - a @ x
    while (r * r).sum() > tolerance:
        x = x + 0.01 * r
        r = b - a @ x
    return x


@stage
def solve_slower(a, b, x, tolerance, rate):
    """The same with steps that become smaller."""
    r = b - a @ x
    while (r * r).sum() > tolerance:
        x = x + rate * r
        r = b - a @ x
        rate *= 0.9999
    return x


def solvers():
    for n in (8,) if SMALL else (16, 64, 256, 1024):
        a = np.eye(n, dtype="float32").to(DEVICE) + numbers(n, n).to(DEVICE) * (0.1 / n)
        b, x = numbers(n).to(DEVICE), np.zeros(n, dtype="float32").to(DEVICE)
        call = lambda: solve(a, b, x, 1e-1 if SMALL else 1e-10 * n)
        named = {"name": f"solver, {n} unknowns, until a tolerance", "check": float(call().sum())}
        timing.timed(named, wait, call, 0, 0, 1 if SMALL else 3)
        call = lambda: solve_slower(a, b, x, 1e-1 if SMALL else 1e-6 * n, 0.01)
        named = {"name": f"solver, {n} unknowns, with smaller and smaller steps", "check": float(call().sum())}
        timing.timed(named, wait, call, 0, 0, 1 if SMALL else 3)


def main():
    solvers()
    for batch in (8,) if SMALL else (64, 8192):
        parameters = [numbers(*dims).to(DEVICE) * 0.1 for dims in ((784, 50), (50,), (50, 10), (10,))]
        velocities = [np.zeros_like(p) for p in parameters]
        x, y = numbers(batch, 784).to(DEVICE), (np.arange(batch) * 31 % 10).to(DEVICE)

        def by_steps():
            p, v = parameters, velocities
            for _ in range(STEPS):
                p, v, loss = train(p, v, x, y, 1)
            return loss

        name = f"MLP 784-50-10, batch {batch}, a step"
        for way, call in (
            ("", by_steps),
            (", all in one call", lambda: train(parameters, velocities, x, y, STEPS)[2]),
        ):
            timing.timed({"name": name + way, "check": float(call())}, wait, call, 0, 0, 1 if SMALL else 3, STEPS)
    for length, batch in ((4, 3),) if SMALL else ((64, 64), (128, 128)):
        x, w, b = (numbers(*dims).to(DEVICE) for dims in ((length, batch, 64), (320, 256), (256,)))
        w = w * 0.1
        lengths = (length // 2 + np.arange(batch) * 13 % (length // 2 + 1)).reshape(-1, 1).to(DEVICE)
        for name, scan in (("RNN", recur), ("RNN, inputs multiplied first", recur_hoisted)):
            call = lambda: scan(x, lengths, w, b)[0]
            label = f"{name}, {length} steps at batch {batch}"
            timing.timed({"name": label, "check": float(call().sum())}, wait, call, 0, 0, 1 if SMALL else 5)


if __name__ == "__main__":
    main()
