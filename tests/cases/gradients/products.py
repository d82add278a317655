# Products and sorting: with zeros, ties and second derivatives.
#@ reference snekpy: differences have fewer digits
import snekpy.numpy as np
from snekpy import grad


def numeric(f, x, eps=1e-5):
    g = np.zeros_like(x)
    flat = g.reshape(-1)
    for i in range(x.size):
        step = np.zeros(x.size)
        step[i] = eps
        step = step.reshape(x.shape)
        flat[i] = (float(f(x + step)) - float(f(x - step))) / (2 * eps)
    return flat.reshape(x.shape)


x = np.array([[0.5, -1.0, 2.0], [3.0, 1.5, -0.25]])
t = np.array([[0.2, 0.1, -0.4], [0.3, 0.7, 0.6]])
zeros = {
    "none": x,
    "one": np.where(x == 2.0, 0.0, x),
    "two": np.where((x == 2.0) | (x == -1.0), 0.0, x),
}
fs = {
    "prod": lambda x: x.prod(),
    "prod rows": lambda x: (x.prod(axis=1) ** 2).sum(),
    "prod columns": lambda x: (np.prod(x, axis=0, keepdims=True) * x).sum(),
    "cumprod": lambda x: (np.cumprod(x, axis=1) * t).sum(),
    "cumprod columns": lambda x: (np.cumprod(x, axis=0) ** 2).sum(),
    "sort": lambda x: (np.sort(x, axis=1) * t).sum() + (np.sort(x, axis=0) ** 2 * t).sum(),
    "argsort": lambda x: (x[0][np.argsort(x[0])] * t[0]).sum(),
    "median": lambda x: np.sort(x.ravel())[2:4].sum() / 2.0,
}
for name, f in fs.items():
    for kind, x in zeros.items():
        if kind == "two" and ("sort" in name or name == "median"):
            continue
        first = np.abs(grad(f)(x) - numeric(f, x)).max() < 1e-6
        along = lambda u: (grad(f)(u) * t).sum()
        print(name, kind, first, np.abs(grad(along)(x) - numeric(along, x)).max() < 1e-5)
print(grad(lambda x: x.prod())(np.array([0.0, 0.0, 3.0])), grad(lambda x: x.prod())(np.array([0.0, 2.0, 3.0])))
print(grad(lambda x: (np.sort(x) * np.array([1.0, 10.0, 100.0])).sum())(np.array([2.0, 1.0, 2.0])))
print(grad(lambda x: x.prod())(np.zeros(0)), grad(lambda x: np.prod(x, axis=0).sum())(np.zeros((0, 2))))
print(grad(lambda x: x.prod())(np.array([2.0, 3.0], dtype=np.float32)))
