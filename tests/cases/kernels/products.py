# Products of matrices on a device, with what is done with their elements in the same kernel: the bits are those of a product that
# was written first.
#@ reference snekpy: CPython has no arrays of these dtypes
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import grad, stage

warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


def some(seed, *dims, dtype="float32"):
    return (np.sin(np.arange(int(np.prod(np.asarray(dims)))) * (0.37 + seed)).reshape(dims) * 2).astype(dtype)


def relu(y, b, z):
    return np.maximum(y + b, 0)


def gelu(y, b, z):
    y = y + b
    return y * 0.5 * (1 + np.tanh(0.7978845608 * (y + 0.044715 * y * y * y)))


def residual(y, b, z):
    return np.tanh(y + b) * z + z[:, :1] - y


def steps(y, b, z):
    return (y > b) & (z * y < 1)


def of_one_axis(y, b, z):
    return np.exp(-np.abs(y)) / 3 + z


def rows(y, b, z):
    return np.exp(y) / np.exp(y).sum(axis=1, keepdims=True)


def columns(y, b, z):
    return y.T + z.T * 2


def halves(y, b, z):
    return (y + b).astype("float16")


def two(y, b, z):
    return y @ z.T + y @ y.T


EPILOGUES = relu, gelu, residual, steps, of_one_axis, rows, columns, halves, two


def check(name, found, expected):
    if found.dtype != expected.dtype or found.shape != expected.shape or found.tobytes() != expected.tobytes():
        print("differs:", name, found, expected)


for dtype in ("float16", "bfloat16", "float32", "float64", "int32"):
    for m, k, n in ((5, 3, 7), (66, 20, 65), (1, 1, 1), (4, 0, 6)):
        x, w = some(1, m, k, dtype=dtype).to("simt"), some(2, k, n, dtype=dtype).to("simt")
        b, z = some(3, n, dtype=dtype).to("simt"), some(4, m, n, dtype=dtype).to("simt")
        for epilogue in EPILOGUES:
            name = f"{epilogue.__name__} {dtype} {m}x{n}x{k}"
            # An array that is moved to where it is has been computed.
            apart = epilogue((x @ w).to("simt"), b, z).to("cpu")
            check(name, epilogue(x @ w, b, z).to("cpu"), apart)
            y = x @ w
            kept = epilogue(y, b, z)
            check(name + ", kept", kept.to("cpu"), apart)
            check(name + ", the product", y.to("cpu"), (x @ w).to("cpu"))
            check(name + ", staged", stage(lambda x, w: epilogue(x @ w, b, z))(x, w).to("cpu"), apart)


# What is written to meanwhile counts as it was.
x, w, b = some(1, 9, 4).to("simt"), some(2, 4, 6).to("simt"), some(3, 6).to("simt")
y = x @ w
z = np.maximum(y + b, 0)
before = np.maximum((x @ w).to("simt") + b, 0).to("cpu")
b[:] = 100.0
x[0] = 5.0
check("before it was written", z.to("cpu"), before)


def loss(w1, b1, w2, x):
    h = np.tanh(x @ w1 + b1)
    return (np.maximum(h @ w2, 0) ** 2).mean()


w1, b1, w2, x = some(1, 4, 6), some(2, 6), some(3, 6, 2), some(4, 8, 4)
here = grad(loss, (0, 1, 2))(w1, b1, w2, x)
there = grad(loss, (0, 1, 2))(*(it.to("simt") for it in (w1, b1, w2, x)))
print([bool(np.allclose(g.to("cpu"), h, rtol=1e-4, atol=1e-6)) for g, h in zip(there, here)])


def dense(x, w, b):
    return np.maximum(x @ w + b, 0)


args = some(1, 70, 40), some(2, 40, 136), some(3, 136)
for target in ("simt", "cuda"):
    print([line for line in stage(dense, target=target).inspect("plan", *args).splitlines() if line.startswith("kernel")])
text = stage(dense, target="cuda").inspect("ptx", *args)
print([line for line in text.splitlines() if "// kernel" in line or ".entry" in line])
