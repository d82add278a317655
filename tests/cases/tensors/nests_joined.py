"""Loops over small arrays that join arrays, reduce axes that are not the last, and square: the bits of plain Python."""
#@ reference snekpy: `snekpy.numpy` is not in CPython

import snekpy.numpy as np
from snekpy import stage


def numbers(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    x = (np.arange(count) * 37 % 23 - 11).reshape(shape)
    return (x / 7.0).astype(dtype) if dtype != "int64" else x


def folds(x, axes, turns):
    s = x.sum(axis=axes)
    for i in range(turns):
        y = x * (i + 1)
        s = s * 0 + y.sum(axis=axes) + y.max(axis=axes) - y.min(axis=axes) * (x * x).prod(axis=axes)
        x = x - s.sum() * 0
    return s


SHAPES = [((5, 3), 0), ((32, 16), 0), ((33, 37), 0), ((4, 5, 6), 1), ((4, 5, 6), (0, 1)), ((4, 5, 6), (0, 2)),
          ((8, 2, 8, 2), (1, 3)), ((2, 3, 1), (0, 2)), ((1, 7), 0), ((7, 1), 0), ((3, 1, 4), 1), ((2, 3, 4, 5), (0, 2)),
          ((2, 300, 3), (0, 1)), ((20, 100), 0), ((3, 4, 2, 2), (0, 2, 3))]

for dtype in ("float64", "float32", "int64"):
    for shape, axes in SHAPES:
        x = numbers(shape, dtype)
        staged, plain = stage(folds)(x, axes, 5), folds(x, axes, 5)
        same = staged.dtype == plain.dtype and staged.tobytes() == plain.tobytes()
        print(dtype, shape, axes, staged.shape, bool(same) or (staged, plain))

special = np.array([[np.nan, 1.0, -0.0, np.inf], [2.0, -np.inf, -0.0, -np.inf], [0.0, 3.0, -0.0, np.nan]])


def odd(x, turns):
    out = x[0]
    for i in range(turns):
        y = x * 1.0
        out = np.stack([y.sum(0), y.min(0), y.max(0), y.prod(0)])
    return out


print(repr(stage(odd)(special, 4)), stage(odd)(special, 4).tobytes() == odd(special, 4).tobytes())


def turned(x, turns):
    """Of views: turned, backwards, each second."""
    s = x[0, 0]
    for i in range(turns):
        y = x + i
        s = s * 0.5 + y.T.sum(axis=0)[:2].sum() + y[::-1].max(axis=0)[::2].sum() + x[:, ::2].sum(axis=0)[1]
    return s


x = numbers((6, 5), "float64")
print(stage(turned)(x, 9), turned(x, 9))


def joined(x, w, turns):
    for i in range(turns):
        y = np.concatenate([x[-1:], x[:-1] * 0.5, np.zeros(3), w], axis=0)
        z = np.concatenate([y[2:], y[:2]])
        x = z[: len(x)] + w[0]
    return x, y, z


print(*[a.tobytes() == b.tobytes() for a, b in zip(stage(joined)(numbers((9,), "float64"), numbers((4,), "float64"), 5),
                                                  joined(numbers((9,), "float64"), numbers((4,), "float64"), 5))])


def columns(x, turns):
    for i in range(turns):
        y = np.concatenate([x[:, 1:] * 0.5, x[:, :1] + 1.0], axis=1)
        z = np.stack([y, x * 0.25], axis=1).reshape(len(x) * 2, -1)
        x = z[: len(x)] + np.stack([y[:, 0]] * 5, axis=1) * 0.1
    return x


x = numbers((6, 5), "float64")
print(stage(columns)(x, 7).tobytes() == columns(x, 7).tobytes(), stage(columns)(x.astype("float32"), 7).tobytes() == columns(x.astype("float32"), 7).tobytes())


def made(y, turns):
    for i in range(turns):
        y = np.array([10.0 * (y[1] - y[0]), y[0] * (28.0 - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]]) * 0.01 + y
    return y


print(stage(made)(np.array([1.0, 2.0, 3.0]), 20).tobytes() == made(np.array([1.0, 2.0, 3.0]), 20).tobytes())


def over(x, turns):
    """The result may not lie where its parts are read."""
    for i in range(turns):
        x = np.concatenate([x[3:], x[:3]])
    return x


print(stage(over)(np.arange(10.0), 7), over(np.arange(10.0), 7))


def sizes(x, turns):
    for i in range(turns):
        h = np.concatenate([x, x * 0.5], axis=1)
        x = h[:, 1:4] - h.mean(axis=0)[:3]
    return x


step = stage(sizes)
for n in (4, 7, 9, 12, 30, 5):
    x = numbers((n, 3), "float64")
    print(n, step(x, 5).tobytes() == sizes(x, 5).tobytes())


def truths(x, turns):
    for i in range(turns):
        b = np.concatenate([x > 0.5, x < 0.0])
        x = np.where(b[: len(x)], x * 0.5, x + 0.25)
    return x, b


print(*truths(numbers((6,), "float64"), 4), *stage(truths)(numbers((6,), "float64"), 4))

def squares(x, n):
    for i in range(n):
        y = (x - x.mean()) ** 2
        z = np.power(x, 2.0) + x ** 2.0 + np.square(x) + x ** 3 + abs(x) ** 0.5
        x = np.clip(y * 0.5 + z * 0.01 - (x ** np.array(2.0)), -2.0, 2.0)
    return x, y, z, np.array(4.0) ** 2


def squares_of_ints(x, n):
    for i in range(n):
        x = (x ** 2) % 1000003 + i
        y = x ** np.array([2, 3, 2, 1, 0])
        z = x.astype("int32") ** 2
    return x, y, z


def written_to(x, n):
    for i in range(n):
        y = x ** 2
        y[0] = 5.0
        w = x ** 2
        x = x * 0.5 + w * 0.0
    return y, x


for fn, xs in ((squares, [np.array([1.0, -2.0, np.nan, -0.0, np.inf]), np.linspace(-2, 2, 33), np.linspace(-2, 2, 7).astype("float32")]),
               (squares_of_ints, [np.array([3, -4, 10**6, 46341, 10**9])]), (written_to, [np.linspace(-2, 2, 9)])):
    for x in xs:
        a, b = stage(fn)(x, 6), fn(x, 6)
        print(fn.__name__, [(p.dtype == q.dtype, p.shape == q.shape, p.tobytes() == q.tobytes()) for p, q in zip(a, b)])
