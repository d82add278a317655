"""Loops over small arrays that read at positions which are elements, and of arrays that are known: the bits of plain Python,
and its errors where a position is outside."""
#@ reference snekpy: `snekpy.numpy` is not in CPython

import snekpy.numpy as np
from snekpy import stage


def numbers(shape, dtype="float64"):
    count = 1
    for size in shape:
        count *= size
    return ((np.arange(count) * 37 % 23 - 11) / 7.0).astype(dtype).reshape(shape)


def same(function, *args):
    staged, plain = stage(function)(*args), function(*args)
    print(function.__name__, staged.dtype, staged.shape, staged.tobytes() == plain.tobytes() or (staged, plain))


def line(x, ids, turns):
    for i in range(turns):
        x = x[ids] * 0.5 + x
    return x


for dtype in ("float64", "float32", "int64"):
    for ids in ([3, 0, -1, 2, -5], [0] * 5, [4, 3, 2, 1, 0]):
        x = np.arange(5) if dtype == "int64" else numbers((5,), dtype)
        same(line, x, np.array(ids), 6)


def rows(table, ids, turns):
    h = table[0]
    for i in range(turns):
        h = h * 0.5 + table[ids].mean(axis=0) + table[ids[i % 3]] * 0.1 + np.tanh(table[ids])[1]
    return h


same(rows, numbers((50, 16)), np.array([3, -1, 49, 0, 7, 7, -50]), 9)
same(rows, numbers((9000, 3)), np.array([3, -1, 8999]), 9)


def grid(x, ids, turns):
    for i in range(turns):
        x = x * 0.5 + x[ids].sum(axis=(0, 1)) * 0.1 + x[:, ids[0]].mean(axis=1)[:, None]
    return x


same(grid, numbers((6, 6)), np.array([[0, -1, 2], [5, 5, -6]]), 7)


def pairs(x, labels, turns):
    loss = x[0, 0] * 0.0
    for i in range(turns):
        z = x - x.max(axis=1, keepdims=True)
        picked = z[np.arange(8), labels]
        loss = loss * 0.5 + picked.sum() + np.take_along_axis(z, labels[:, None], axis=1).mean()
        x = x * 0.9 + picked[:, None] * 0.01
    return x + loss


same(pairs, numbers((8, 5)), np.array([0, 4, -1, 2, 2, -5, 3, 1]), 7)


def middle(x, ids, turns):
    for i in range(turns):
        x = x * 0.5 + x[:, ids, ids[::-1]][:, :, None] * 0.1 + x[:, ids][:, :3] * 0.25
    return x


same(middle, numbers((2, 3, 3, 2)), np.array([2, -3, 1]), 5)


def turned(u, turns):
    for i in range(turns):
        around = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -2, 1) + np.roll(u, 3)
        u = u + 0.1 * (around - 4.0 * u)
    return u


same(turned, numbers((16, 16)), 6)
same(turned, numbers((3, 5), "float32"), 6)
same(turned, numbers((1, 1)), 6)


def repeated(x, turns):
    for i in range(turns):
        small = x.reshape(4, 2, 4, 2).max(axis=(1, 3))
        x = x * 0.5 + np.repeat(np.repeat(small, 2, axis=0), 2, axis=1) * 0.1 + np.tile(small, (2, 2)) * 0.2
    return x


same(repeated, numbers((8, 8)), 6)


def known(x, turns):
    """What is known is computed once, but an array that leaves is a new one each time."""
    all = []
    for i in range(turns):
        even = np.arange(32) % 2 == 0
        weights = (np.arange(32) * 0.1).reshape(4, 8).T.reshape(-1)
        kept = np.arange(4) * 2
        kept[i % 4] = 100
        all.append(kept)
        x = np.where(even, x * 0.5, x + weights) + weights[::-1] + np.array([0.5, 0.25] * 16) + np.eye(4).reshape(-1)[3]
    return x, all


staged, plain = stage(known)(numbers((32,)), 6), known(numbers((32,)), 6)
print(staged[0].tobytes() == plain[0].tobytes(), [it.tolist() for it in staged[1]] == [it.tolist() for it in plain[1]])


def outside(x, ids, turns):
    seen = []
    try:
        for i in range(turns):
            seen.append(i)
            picked = x[ids]
            x = x + picked * 0.5
            if i == 7:
                ids = ids + 1
            seen.append(-i)
    except IndexError as error:
        return x, seen, str(error), error.__traceback__.tb_lineno
    return x, seen, None, None


@stage
def outside_staged(x, ids, turns):
    seen = []
    for i in range(turns):
        seen.append(i)
        picked = x[ids]
        x = x + picked * 0.5
        if i == 7:
            ids = ids + 1
        seen.append(-i)
    return x


for ids in ([0, 1, 2, 4], [-5, 1, 3, 3], [5, 0, 0, 0], [0, 0, 0, -6]):
    x = numbers((5,))
    plain, staged = outside(x[:4] if ids[0] == 5 else x, np.array(ids + [0]), 12), None
    try:
        staged = outside_staged(x[:4] if ids[0] == 5 else x, np.array(ids + [0]), 12)
    except IndexError as error:
        staged = str(error)
    except ValueError as error:
        staged = str(error)
    print(plain[1][-1], plain[2], staged if isinstance(staged, str) else staged.tobytes() == plain[0].tobytes())
