"""Arithmetic, functions, shapes, slices, reductions and products of tensors in compiled code."""
import snekpy.numpy as np
from snekpy import stage


def show(name, x):
    if isinstance(x, (tuple, list)):
        print(name, type(x).__name__)
        for i, it in enumerate(x):
            show(f"  {i}", it)
    elif isinstance(x, np.ndarray):
        print(name, x.dtype, x.shape, x.tolist())
    else:
        print(name, type(x).__name__, x)


def run(f, *args):
    staged = stage(f)
    for round in range(2):
        try:
            show(f"{f.__name__} {round}", staged(*args))
        except Exception as error:
            print(f.__name__, round, type(error).__name__, error)


a = np.arange(12, dtype=np.float32).reshape((3, 4)) / 7
b = np.asarray([0.5, -1.0, 2.0, 3.25], dtype=np.float32)
i = np.asarray([[1, 2, 3], [4, 5, 6]])


def arithmetic(x, y):
    return x + y, x - y, x * y, x / y, x // y, x % y, -x, abs(x), x ** 2, 2 ** y, 1 - x, x @ y


def weak(x, n, f, t):
    return x + n, x * f, n - x, f / x, x + t, x * True, x > n, x <= f


def integers(x, n):
    return x + n, x * 2.5, x / n, x // n, x % n, x & n, x | 1, x ^ x, ~x, x << 2, x >> n, x ** 2, -x


def functions(x):
    return (np.exp(x), np.tanh(x), np.sin(x), np.log(x + 1), np.sqrt(x), np.floor(x), np.maximum(x, 1), np.minimum(x, x.T.T),
            np.where(x > 1, x, -x), np.clip(x, 0.5, 1.0), np.sign(x - 1), np.isnan(x), np.square(x), np.arctan2(x, x + 1))


def shapes(x):
    return (x.T, x.reshape(2, 6), x.reshape((4, -1)), x.ravel(), x.transpose(1, 0), x[None], x[..., None].shape, x.ndim,
            x.size, x.dtype, x.shape, len(x), np.expand_dims(x, 0), np.squeeze(x[None]), np.broadcast_to(x, (2, 3, 4)),
            np.swapaxes(x, 0, 1), np.flip(x, 0), np.diagonal(x), np.tril(x), np.triu(x, 1))


def slices(x, k):
    return (x[0], x[-1], x[k], x[1:], x[:, 1:3], x[::-1], x[:, ::2], x[0, 1], x[k, k], x[1, ...], x[k:k + 2],
            x[:, k:k + 1], x[[0, 2]], x[np.asarray([2, 0, 1])], x[np.asarray([0, 1]), np.asarray([1, 2])])


def reductions(x):
    return (x.sum(), x.sum(axis=0), x.sum(axis=1, keepdims=True), x.mean(), x.max(), x.min(axis=0), x.prod(axis=1), x.std(),
            x.var(axis=0), x.argmax(), x.argmin(axis=1), x.any(), x.all(axis=0), x.cumsum(axis=1), np.count_nonzero(x),
            np.sort(x, axis=0), np.argsort(-x, axis=1), np.linalg.norm(x), np.median(x) if False else None)


def making(x, n):
    y = np.zeros((2, 3)) + x.mean()
    z = np.ones(3, dtype=np.int64) * n
    e = np.eye(3, dtype=np.float32) @ x
    l = np.arange(4, dtype=np.float32) + x[0]
    c = np.concatenate([x, x[:1]])
    s = np.stack([x[0], x[1] * 2])
    m = np.array([n, 2, 3]) + z
    f = np.full((2,), 1.5) * n
    return y, z, e, l, c, s, m, f, np.zeros_like(x), np.linspace(0, 1, 3) * n


def products(x, y):
    return x @ x.T, x.T @ x, x @ y, y @ y, np.dot(x, y), np.outer(y, y), np.einsum("ij,kj->ik", x, x), np.matmul(x, x.T), np.tensordot(x, x.T, 1)


def casts(x, i):
    return x.astype(np.float64), x.astype(np.int32), i.astype(np.float32), x.astype(np.float16), x.astype(bool), i + x, (x > 1).sum(), x.copy(), i.astype("bfloat16")


def wrong_shapes(x, y):
    return x @ x + y


def wrong_broadcast(x, y):
    z = x * 2
    return z[:, :3] + y


def wrong_axis(x):
    return x.sum(axis=2)


def out_of_range(x, k):
    y = x + 1
    return y[k + 5]


run(arithmetic, a, b)
run(weak, a, 3, 0.25, True)
run(integers, i, 2)
run(functions, a)
run(shapes, a)
run(slices, a, 1)
run(reductions, a)
run(making, a, 4)
run(products, a, b)
run(casts, a, i)
run(wrong_shapes, a, b)
run(wrong_broadcast, a, b)
run(wrong_axis, a)
run(out_of_range, a, 0)
run(integers, i, -1)

#@ reference snekpy: `snekpy.numpy` is not in CPython
