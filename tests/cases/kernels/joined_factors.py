# Products by a matrix that is joined of two: kernels take both parts as they lie, with the bits of the joined one.
#@ reference snekpy: CPython has no devices
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import grad, stage

D = "simt"
warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


def numbers(seed, *dims, dtype="float32"):
    size = 1
    for dim in dims:
        size *= dim
    return (np.sin(np.arange(size) * 1.7 + seed) * 0.6).reshape(*dims).astype(dtype)


def shown(x):
    return x.dtype.name, x.shape, x.to("cpu").tobytes()


def alone(x, h, w):
    return np.concatenate([x, h], axis=1) @ w


def followed(x, h, w):
    return np.tanh(np.concatenate([x, h], axis=1) @ w + w[0]) * 0.5


def kept(x, h, w):
    """The joined one is used again."""
    both = np.concatenate([x, h], axis=1)
    product = both @ w
    return product + both.sum(axis=1, keepdims=True), both


def of_what_waits(x, h, w):
    return np.concatenate([x * 2 + 1, np.exp(h)], axis=1) @ (w + 1)


def turned(x, h, w):
    """The second factor is joined, and the first one is not."""
    return w.T @ np.concatenate([x, h], axis=1).T


def beside(function, *operands):
    expected = function(*operands)
    there = [it.to(D) for it in operands]
    staged = stage(function)
    for found in (function(*there), staged(*there), staged(*there), staged(*there)):
        for one, other in zip(*(it if isinstance(it, tuple) else (it,) for it in (found, expected))):
            assert one.device == D and one.dtype == other.dtype and one.shape == other.shape
            close = np.abs(one.to("cpu").astype("float64") - other.astype("float64")) <= 1e-2 * (1 + np.abs(other))
            assert bool(close.all()), (function.__name__, [it.shape for it in operands])
    return shown(function(*there)[0] if isinstance(expected, tuple) else function(*there))


for dtype in "float32", "float64", "float16", "bfloat16":
    for rows, first, second, columns in (5, 64, 40, 7), (33, 32, 96, 20), (4, 33, 31, 9), (1, 32, 1, 1), (70, 96, 3, 65):
        x, h = numbers(1, rows, first, dtype=dtype), numbers(2, rows, second, dtype=dtype)
        w = numbers(3, first + second, columns, dtype=dtype)
        for function in alone, followed, kept, of_what_waits, turned:
            beside(function, x, h, w)
    # By the bits of a product of the matrix that was joined before.
    there = [it.to(D) for it in (x, h, w)]
    joined = np.concatenate(there[:2], axis=1)
    joined.to(D)
    assert shown(joined @ there[2]) == shown(alone(*there))
    print(dtype)

# Parts that begin somewhere in their memory, or are no rows of it.
x, h, w = numbers(4, 9, 6, 32).to(D), numbers(5, 6, 64).to(D), numbers(6, 96, 11).to(D)
for t in range(9):
    assert shown(alone(x[t], h, w)) == shown(np.concatenate([x[t].to("cpu"), h.to("cpu")], axis=1).to(D) @ w)
for part in x[2, ::-1], x[:6, 1], x[3, :, ::-1]:
    assert shown(alone(part, h, w)) == shown(np.concatenate([part.to("cpu"), h.to("cpu")], axis=1).to(D) @ w)


def net(x, h, w):
    for t in range(x.shape[0]):
        h = np.tanh(np.concatenate([x[t], h], axis=1) @ w)
    return h


w = numbers(7, 96, 64).to(D)
staged = stage(net)
assert len({shown(it) for it in (net(x, h, w), *(staged(x, h, w) for _ in range(4)))}) == 1
slopes = grad(lambda w: (net(x, h, w) ** 2).sum())
assert shown(slopes(w)) == shown(stage(lambda w: slopes(w))(w))
print("net")
