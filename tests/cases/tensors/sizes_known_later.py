# Sizes of arrays that differ from call to call are known only when the code runs: one more kind of code, and what is
# particular about a size is what it is unstaged.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage, value_and_grad
from support import specialisations


def shown(value):
    if isinstance(value, tuple):
        return [shown(it) for it in value]
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.tolist()
    return value


def run(function, *calls):
    print(function.__name__)
    for args in calls:
        try:
            print(shown(function(*args)))
        except Exception as error:
            trace = error.__traceback__
            while trace.tb_next:
                trace = trace.tb_next
            print(type(error).__name__, error, trace.tb_lineno)


def a(*shape):
    count = 1
    for size in shape:
        count *= size
    return (np.arange(count) * 0.375 % 1.75).reshape(shape)


def squares(*sizes):
    return [(a(n, 2),) for n in sizes]


def pairs(*sizes):
    return [(a(n, 3), a(m, 3)) for n, m in sizes]


# A training step and an inference: however many sizes there are, the code is made twice.
def loss(p, x, y):
    w, b = p
    z = x @ w + b
    z = z - z.max(axis=1, keepdims=True)
    z = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    return -(z * y).sum() / len(x)


@stage(strict=True)
def train(p, x, y):
    value, slopes = value_and_grad(loss)(p, x, y)
    return tuple(it - 0.1 * slope for it, slope in zip(p, slopes)), value


@stage(strict=True)
def infer(p, x):
    return np.tanh(x @ p[0] + p[1]).argmax(axis=1).sum()


p = a(5, 3) - 0.5, a(3)
for n in range(1, 65):
    x, y = a(n, 5), (np.arange(n * 3) % 4 == 1).astype("float64").reshape(n, 3)
    p, value = train(p, x, y)
    print(n, float(value).hex(), int(infer(p, x)))
print(specialisations(train) < 4, specialisations(infer) < 4)


# What does not go together is Python's error, with both shapes, at its line.
@stage
def mismatch(x, y):
    return (x
            + y).sum()


@stage
def caught(x, y):
    try:
        return x + y
    except ValueError as error:
        return str(error)


SIZES = (2, 2), (3, 3), (4, 4), (4, 5), (5, 4), (6, 6), (1, 6), (6, 1), (7, 3), (3, 7), (3, 3), (0, 1), (1, 1)
run(mismatch, *pairs(*SIZES))
run(caught, *pairs(*SIZES))


@stage
def joined(x, y):
    z = np.concat([x, y])
    return z.shape, z[len(x)], z.sum(axis=0), z.mean()


run(joined, *pairs(*SIZES[:-2]))


# Sizes as numbers: what depends on them is decided when the code runs.
@stage
def sizes(x):
    if x.shape[0] == 5:
        return "five", x.sum()
    if x.shape == (6, 2):
        return "six", x.mean()
    if not x.shape[0]:
        return "none", 0
    return x.shape[0], x.shape[0] * 2 - 1, x.size, x.nbytes, len(x), x.T.shape, x.ndim, f"{x.shape}", x.shape > (3, 2)


run(sizes, *squares(2, 3, 4, 5, 6, 7, 0, 1, 5, 6))


@stage
def squeezed(x):
    return np.squeeze(x).shape, np.atleast_2d(x[:, 0]).shape, x.ravel()


run(squeezed, *squares(3, 4, 1, 2, 0, 1, 5))


# A position that some sizes have and others have not, also where nobody needs what is there.
@stage
def unused(x):
    x[3]
    y = x[2:5].reshape(3, 2)
    return x.sum()


run(unused, *squares(5, 6, 7, 4, 3, 8))


@stage
def fourth(x):
    return float(x[4, 0]) + float(x[-3, 1])


run(fourth, *squares(6, 7, 8, 4, 5, 2, 9))


@stage
def shortened(x):
    return x[:5].shape, x[5:].shape, x[-5:].sum(), x[1:-1].mean(axis=0), x[::-1][0], x[::2].shape


run(shortened, *squares(9, 8, 7, 6, 5, 4, 3, 2, 1))


# Numbers of the program that are as large as what stands for a size.
@stage
def large(x):
    return x[4471300]


@stage
def larger(x):
    return x[:4471303], np.full((len(x),), 4471303), np.zeros(4471303 // 1000000), x.reshape(4471303)


run(large, *squares(3, 4, 5))
run(larger, *squares(3, 4, 5))


@stage
def rows(x):
    total, i = 0.0, 0
    for row in x:
        total += float(row.sum())
    while i < len(x) and total < 30.0:
        total += float(x[i, 0])
        i += 1
    return total, i, x[i - 1], [float(it.sum()) for it in x], [i * len(x) for i in range(len(x))]


run(rows, *squares(3, 4, 5, 2, 9, 30, 1))


@stage
def stacked(x):
    kept = []
    for i in range(len(x)):
        kept.append(x[i] * i)
    return np.stack(kept).sum(axis=0), len(kept)


run(stacked, *squares(3, 4, 5, 12))


@stage
def written(x, y):
    x[1:] += y[:-1]
    x *= len(x)
    y[:] = x
    return (x * y).sum()


for n in (3, 4, 5, 2, 9):
    x, y = a(n, 2), a(n, 2)
    print(shown((written(x, y), x, y)))


class Layer:
    def __init__(self, n):
        self.w = a(n, 2)

    def __call__(self, x):
        self.last = x
        return x @ self.w.T


@stage
def called(layer, x):
    made = layer(x)
    layer.w = layer.w * 1.5
    return made


layers = [Layer(n) for n in (3, 4, 5, 5, 4, 3)]
run(called, *[(it, a(n, 2)) for it, n in zip(layers, (2, 3, 4, 5, 6, 7))])
print([it.last.shape for it in layers], [float(it.w.sum()) for it in layers])


# Two sizes, which are sometimes one.
@stage
def products(x, y):
    return x @ y.T, (x @ y.T).shape, np.outer(x[:, 0], y[:, 0]).sum(), x.shape == y.shape


run(products, *pairs((2, 3), (3, 4), (4, 4), (5, 4), (4, 5), (6, 2)))


@stage
def deep(x):
    flat = x.reshape(x.shape[0], -1)
    return (flat.sum(), x.reshape(-1, x.shape[-1]).shape, x.transpose(2, 0, 1).shape, x.swapaxes(0, 1).mean(axis=(0, 1)),
            np.einsum("bij,bkj->bik", x, x).shape)


run(deep, *[(a(n, m, 2),) for n, m in ((3, 3), (4, 4), (4, 5), (5, 4), (2, 7), (1, 3), (6, 6))])


@stage
def reshaped(x, n):
    return x.reshape(n, 2).sum(axis=0), x.reshape(2, -1).shape


run(reshaped, *[(a(2 * n), n) for n in (3, 4, 5, 6)])


@stage
def statistics(x):
    return x.var(axis=0), x.std(), np.median(x), np.argsort(x[:, 0]), x.argmax(), np.quantile(x[:, 1], 0.5)


run(statistics, *squares(3, 4, 5, 6))


@stage
def solved(x, y):
    lines = np.linalg.solve(x + np.eye(len(x)) * 3, y)
    return lines, np.linalg.qr(y)[0].shape, np.linalg.det(x), np.trace(x), np.tril(x), np.diag(x)


run(solved, *[(a(n, n), a(n, 3)) for n in (2, 3, 4, 5, 6)])


# Gradients of plain functions, and of those that count positions.
slopes = value_and_grad(loss)
for n in range(1, 8):
    value, (w, b) = slopes(p, a(n, 5), (np.arange(n * 3) % 4 == 1).astype("float64").reshape(n, 3))
    print(float(value).hex(), float(w.sum()).hex(), float(b.sum()).hex())
ordered = value_and_grad(lambda x: (np.sort(x, axis=0) * np.cumulative_prod(x, axis=0)).sum())
for n in range(1, 6):
    print(shown(ordered(a(n, 2) + 0.25)))


# A derivative is added up along the way: where that depends on a size, each has code of its own, and the same bits.
def branches(x, w):
    y = (x @ w) - ((x @ w) @ np.exp(-x * x).T) @ x.mean(axis=1, keepdims=True)
    if len(x) > 4:
        y = y + y[0]
    return (y * y).mean() + (y * w[0]).sum()


@stage
def nested(x, w):
    value, (by_x, by_w) = value_and_grad(branches, argnums=(0, 1))(x, w)
    return value, by_x, by_w, len(by_x)


for n in (3, 4, 5, 4, 6, 3):
    x, w = a(n, 3) - 0.5, a(3, 3) / 3
    value, by_x, by_w, _ = nested(x, w)
    wanted, (wanted_x, wanted_w) = value_and_grad(lambda x, w: branches(x, w), argnums=(0, 1))(x, w)
    print(n, float(value).hex(), float(by_x.sum()).hex(), bool((by_x == wanted_x).all() and (by_w == wanted_w).all()))
