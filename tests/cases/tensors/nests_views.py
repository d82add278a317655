"""Nests read operands that do not lie dense, and write to those: the bits of plain Python."""
#@ reference snekpy: `snekpy.numpy` is not in CPython

import snekpy.numpy as np
from snekpy import stage


def numbers(shape, dtype="float64"):
    count = int(np.prod(np.array(shape)))
    return ((np.arange(count) * 37 % 23 - 11) / 7.0).astype(dtype).reshape(shape)


def views(dtype):
    a = numbers((12, 10), dtype)
    line = a.reshape(-1)
    stretched = np.broadcast_to(numbers((1,), dtype), (12,))
    return [a[:, 3], a[::2, 1], a[::-1, 0], a.T[2], a[3], stretched, line[5:17], line[::10]]


def reads(x, y, turns):
    for i in range(turns):
        y = np.tanh(y * x + x) - y.sum() * 0.1
    return y


def writes(x, y, turns):
    for i in range(turns):
        x *= 0.5
        y = y + x
        x += y * 0.1
    return y


def keeps(x, y, turns):
    out = []
    for i in range(turns):
        out.append(x * y)
        y = y + x[0]
    return np.stack(out)


def multiplies(m, y, turns):
    for i in range(turns):
        y = m @ y * 0.1 + m[:, 0]
    return y


def what(function, x, y):
    """What it gives or raises, and what it leaves of its operands."""
    try:
        given = function(x, y, 5).tobytes()
    except (TypeError, ValueError) as error:
        given = type(error).__name__, str(error)
    return given, x.tobytes(), y.tobytes()


for function in (reads, writes, keeps):
    same = raised = 0
    staged = stage(function)
    for dtype in ("float64", "float32"):
        for i in range(8):
            for j in range(8):
                told, known = (what(it, views(dtype)[i], views(dtype)[j]) for it in (staged, function))
                same += told == known
                raised += not isinstance(known[0], bytes)
    # Of one array.
    parts = [(slice(0, 20, 2), slice(1, 21, 2)), (slice(0, 10), slice(1, 11)), (slice(10, 0, -1), slice(0, 10))]
    for x, y in parts:
        line, other = numbers((30,)), numbers((30,))
        same += what(staged, line[x], line[y]) == what(function, other[x], other[y])
    print(function.__name__, same, "the same,", raised, "raise")

squares = [numbers((8, 8)).T, numbers((16, 8))[::2], numbers((8, 16))[:, ::2], numbers((8, 8))[::-1, ::-1]]
print([stage(multiplies)(m, numbers((8,)), 5).tobytes() == multiplies(m, numbers((8,)), 5).tobytes() for m in squares])
