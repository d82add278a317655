"""Gradients by arrays, against differences: operations, shapes, branches, loops of unknown length."""
import snekpy.numpy as np
from snekpy import grad, value_and_grad


def show(x):
    if isinstance(x, (tuple, list)):
        return type(x)(show(i) for i in x)
    if isinstance(x, dict):
        return {k: show(v) for k, v in x.items()}
    return x.tolist() if isinstance(x, np.ndarray) else x


def numeric(f, args, k, eps=1e-6):
    x = args[k]
    g = np.zeros_like(x)
    flat, gf = x.reshape(-1), g.reshape(-1)
    for i in range(x.size):
        old = flat[i].item()
        flat[i] = old + eps
        a = float(f(*args))
        flat[i] = old - eps
        b = float(f(*args))
        flat[i] = old
        gf[i] = (a - b) / (2 * eps)
    return g

x = np.asarray([[0.3, -0.7, 1.2], [2.0, 0.5, -1.5]])
w = np.asarray([[0.1, 0.2], [-0.3, 0.4], [0.5, -0.6]])
b = np.asarray([0.05, -0.15])
fs = {
 "sum": lambda x, w, b: (x @ w + b).sum(),
 "tanh": lambda x, w, b: np.tanh(x @ w + b).sum(),
 "relu": lambda x, w, b: (np.maximum(x @ w + b, 0) ** 2).mean(),
 "softmax": lambda x, w, b: -np.log((np.exp(x @ w + b) / np.exp(x @ w + b).sum(axis=1, keepdims=True))[:, 0]).mean(),
 "max": lambda x, w, b: (x @ w + b).max(axis=1).sum() + x.min(),
 "index": lambda x, w, b: x[0, 1] * w[2, 0] + (x[:, 1:] * 2).sum() + w[::-1, 0] @ w[:, 1] + b[-1],
 "gather": lambda x, w, b: (w[[0, 0, 2]] * w[np.asarray([1, 2, 0])]).sum() * b[0],
 "concat": lambda x, w, b: (np.concatenate([x, w.T]) ** 3).sum() + np.stack([b, b * 2]).sum(),
 "reshape": lambda x, w, b: (x.reshape(3, 2) * w).sum() + (x.T @ x).trace() + x.ravel() @ w.ravel(),
 "where": lambda x, w, b: np.where(x > 0, x * x, -x).sum() + np.abs(w).sum() + np.sqrt(np.abs(b)).sum(),
 "funcs": lambda x, w, b: (np.sin(x) + np.cos(x) * np.exp(-x) + np.log1p(x * x) + np.arctan2(x, x + 3) + np.hypot(x, 2.0) + 1 / (x + 4) + x ** 3 + 2.0 ** x).sum(),
 "cumsum": lambda x, w, b: (x.cumsum(axis=1) * x).sum() + np.outer(b, b).sum() + np.linalg.norm(w) + x.var() + x.std(),
 "scalar": lambda x, w, b: float(x[0, 0]) * 3.0 + float((w * w).sum()),
 "float32": lambda x, w, b: (x.astype(np.float32) * 2).sum().astype(np.float64) + w.sum() + b.sum() * 0,
 "branch": lambda x, w, b: (x * 2).sum() if x[0, 0] > 0 else (w * 3).sum(),
}


def loop(x, w, b):
    h = x[0] * 0
    for i in range(5):
        h = np.tanh(h + x[1] * 0.1 * i)
    return (h * h).sum() + b.sum()


def unknown(x, w, b):
    h = x
    n = 0
    while (h * h).sum() < 100.0:
        h = h * 1.5 + w.T
        n += 1
    return h.sum() * n


def longloop(x, w, b):
    h = b
    for i in range(400):
        h = np.tanh(h * 0.9 + b) + 0.001 * i
        if i > 300 and h[0] > 0.5:
            break
    return (h * h).sum()


def rowloop(x, w, b):
    s = 0.0
    for row in x:
        s = s + (row @ w).sum() ** 2
    return s


def embed(x, w, b):
    table = w
    total = 0.0
    for k in [2, 0, 2, 1]:
        total = total + (table[k] * b).sum() * (k + 1)
    return total


def counted(x, w, b):
    h = b * 1.0
    hs = []
    for i in range(x.shape[0]):
        h = np.tanh(x[i] @ w + h)
        hs.append(h)
    return (np.stack(hs) ** 2).sum() + np.concatenate(hs).max()
fs.update(embed=embed, counted=counted)
fs.update(loop=loop, unknown=unknown, longloop=longloop, rowloop=rowloop)
for name, f in fs.items():
    try:
        g = grad(f, argnums=(0, 1, 2))(x, w, b)
    except Exception as e:
        print(name, type(e).__name__, e)
        continue
    bad = []
    for k in range(3):
        rough = name == "float32"
        n = numeric(f, (x, w, b), k, 1e-2 if rough else 1e-6)
        err = float(np.abs(n - g[k]).max()) if g[k].shape == n.shape else ("shape", g[k].shape)
        if not isinstance(err, float) or err > (1e-3 if rough else 1e-5):
            bad.append((k, err, show(g[k]), show(n)))
    print(name, "ok" if not bad else bad)


def wrong(f, *args):
    try:
        print(show(grad(f)(*args)))
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


wrong(lambda x: x, b)
wrong(lambda x: x.astype(int).sum(), b)
wrong(lambda x: np.sort(x).sum(), b)
wrong(lambda x: x.prod(), b)
wrong(lambda i: (i * 2.0).sum(), np.arange(3))
wrong(lambda x: (x @ np.ones(3)).sum(), b)
wrong(lambda x: x[5], b)


def writes(x):
    y = x * 2
    y[0] = 1.0
    return y.sum()


wrong(writes, b)
print(show(value_and_grad(fs["tanh"], argnums=1)(x, w, b)))
print(show(grad(lambda p, x: np.tanh(x @ p["w"] + p["b"]).sum())({"w": w, "b": b}, x)))
