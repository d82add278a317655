# Recursion with arrays: a TreeLSTM over trees of objects and of tuples, sequences by recursion.
#@ reference snekpy: differences have fewer digits
from dataclasses import dataclass
from typing import Optional

import snekpy.numpy as np
from snekpy import StagingError, grad, stage, value_and_grad

rng = np.random.default_rng(3)
size = 3
params = {
    "embed": rng.normal(size=(5, size)) * 0.5,
    "gates": rng.normal(size=(2 * size, 5 * size)) * 0.4,
    "out": rng.normal(size=size),
}


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def steps(p, x, n):
    if n == 0:
        return x
    return np.tanh(steps(p, x, n - 1) @ p["gates"][:size, :size] + x)


def powers(x, n):
    return x if n == 0 else powers(x * x * 0.5 + 0.1, n - 1)


def both(x, y, n):
    if n == 0:
        return x, y
    x, y = both(y * 0.9, np.sin(x), n - 1)
    return x + y, x * 0.5


@dataclass
class Tree:
    word: int
    left: Optional["Tree"] = None
    right: Optional["Tree"] = None


def lstm(p, tree):
    if tree.left is None or tree.right is None:
        h = p["embed"][tree.word]
        return np.tanh(h), h
    lh, lc = lstm(p, tree.left)
    rh, rc = lstm(p, tree.right)
    z = np.concatenate([lh, rh]) @ p["gates"]
    i, lf, rf, o = sigmoid(z[:3]), sigmoid(z[3:6]), sigmoid(z[6:9]), sigmoid(z[9:12])
    c = i * np.tanh(z[4 * size :]) + lf * lc + rf * rc
    return o * np.tanh(c), c


def loss(p, tree):
    return (lstm(p, tree)[0] @ p["out"]) ** 2


def near(f, p, grads, *rest):
    worst = 0.0
    for name in grads:
        flat = p[name].reshape(-1)
        for i in range(0, flat.size, 3):
            moved = []
            for eps in (1e-6, -1e-6):
                other = flat.copy()
                other[i] += eps
                moved.append(float(f({**p, name: other.reshape(p[name].shape)}, *rest)))
            worst = max(worst, abs((moved[0] - moved[1]) / 2e-6 - float(grads[name].reshape(-1)[i])))
    return worst < 1e-6


x = np.array([0.2, -0.4, 0.7])
for n in (0, 1, 4, 9):
    f = lambda p, x, n: (steps(p, x, n) ** 2).sum()
    print("steps", n, near(f, params, grad(f)(params, x, n), x, n))
print(np.round(grad(lambda x, n: powers(x, n).sum())(x, 3), 12))
print(np.round(grad(lambda x, n: (both(x, x * 2.0, n)[0] ** 2).sum())(x, 5), 12))


def tree(depth, word=1):
    return Tree(word % 5) if depth == 0 else Tree(0, tree(depth - 1, word * 2), tree(depth - 1 - word % 2 if depth > 1 else 0, word * 3))


for depth in (0, 1, 3):
    shape = tree(depth)
    try:
        value, grads = value_and_grad(loss)(params, shape)
        print("tree", depth, abs(float(value) - float(loss(params, shape))) < 1e-14, near(loss, params, grads, shape))
    except StagingError as error:
        print("tree", depth, str(error).splitlines()[0])
