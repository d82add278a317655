"""Loops that write to small arrays in place: the bits of plain Python, whatever shares memory with what is written."""
#@ reference snekpy: `snekpy.numpy` is not in CPython

import snekpy.numpy as np
from snekpy import stage


def numbers(shape, dtype="float64"):
    count = 1
    for size in shape:
        count *= size
    return ((np.arange(count) * 37 % 23 - 11) / 7.0).astype(dtype).reshape(shape)


def same(function, *args):
    def copies():
        return [it.copy() if isinstance(it, np.ndarray) else it for it in args]

    given, other = copies(), copies()
    staged, plain = stage(function)(*given), function(*other)
    fits = staged.tobytes() == plain.tobytes() and all(
        x.tobytes() == y.tobytes() for x, y in zip(given, other) if isinstance(x, np.ndarray)
    )
    print(function.__name__, staged.dtype, staged.shape, fits or (staged, plain))


def step(w, g, turns):
    for i in range(turns):
        w -= 0.1 * g
        w *= 0.99
        w /= 1.5
        w += w
        w[:] = w * 0.5 + g
    return w


for dtype in ("float64", "float32"):
    for size in (1, 3, 8, 64, 67):
        same(step, numbers((size,), dtype), numbers((size,), dtype) * 2, 9)
        same(step, numbers((size, 2), dtype), numbers((2,), dtype) * 2, 9)


def shifted(w, turns):
    """What is read lies beside what is written."""
    for i in range(turns):
        w[1:] = w[:-1] * 0.5 + 1.0
        w[:-1] += w[1:]
        w[1:-1] = 0.5 * (w[2:] + w[:-2])
        w[::-1] -= w * 0.25
        w[::2] = w[1::2] * 0.5
        w[:] = w[::-1]
    return w


same(shifted, numbers((10,)), 7)
same(shifted, numbers((64,), "float32"), 7)


def rows(m, w, turns):
    for i in range(turns):
        m[i % 8] = w * 0.5 + m[(i + 1) % 8]
        m[:, 3] += w[:8]
        m[-1] *= 0.5
        m[i % 8, 1:5] = m[(i + 3) % 8, 2:6]
        m[2:5] = m[1:4] + m[0]
        m.T[2] = 1.0
        m[:] = m.reshape(-1, 8)[::-1].reshape(8, -1)
    return m


same(rows, numbers((8, 16)), numbers((16,)), 11)


def shared(w, turns):
    """Names and views of one array."""
    u = w
    tail = w[2:]
    for i in range(turns):
        w += tail[0]
        tail *= u[:-2]
        u[0] = 0.5
        tail[:] = w[:-2]
        w /= 4.0
    return u


same(shared, numbers((9,)), 8)


def both(w, u, turns):
    for i in range(turns):
        w[1:] = u[:-1] * 0.5 + 1.0
        u += w
        u *= 0.25
    return w


x = numbers((12,))
y = x.copy()
a, b = stage(both)(x, x, 6), both(y, y, 6)
print("one array twice", a.tobytes() == b.tobytes(), a is x)
x = numbers((13,))
y = x.copy()
a, b = stage(both)(x[1:], x[:-1], 6), both(y[1:], y[:-1], 6)
print("two views of one", a.tobytes() == b.tobytes(), x.tobytes() == y.tobytes())
x = numbers((12, 2))
y = x.copy()
a, b = stage(both)(x[:, 0], x[:, 1], 6), both(y[:, 0], y[:, 1], 6)
print("two columns", a.tobytes() == b.tobytes(), x.tobytes() == y.tobytes())


def fresh(w, turns):
    kept = []
    for i in range(turns):
        y = np.zeros(9)
        y[1:-1] = 0.5 * (w[2:] + w[:-2])
        y[0], y[-1] = w[0], w[-1]
        z = np.full((3, 3), 2.0)
        z[1] = y[:3]
        z[:, 0] -= y[3:6]
        if i % 3 == 0:
            kept.append(z)
        w = np.pad(y, 2)[1:10] + z.sum() * 0.01 + np.pad(z, 1, constant_values=0.5).sum() * 0.001
    return np.concatenate([w] + [it.reshape(-1) for it in kept])


same(fresh, numbers((9,)), 10)


def seen(w, turns):
    """What was there before is printed before it is written over."""
    for i in range(turns):
        old = w.copy()
        before = w
        w += 1.0
        print(float(old[0]), float(before[0]), end="; ")
        w = w * 0.5
    print()
    return w


same(seen, numbers((4,)), 4)


def wrong(w, g, turns):
    for i in range(turns):
        w -= 0.1 * g
        if i == 5:
            g = np.zeros(3)
        w += 1.0
    return w


for function in (stage(wrong), wrong):
    x = numbers((4,))
    try:
        function(x, numbers((4,)), 9)
    except ValueError as error:
        print(error, x.tolist())


def frozen(x, turns):
    """A view that is read only."""
    wide = np.broadcast_to(x, (3, 4))
    for i in range(turns):
        wide[0] += 1.0
    return wide


for function in (stage(frozen), frozen):
    try:
        function(numbers((4,)), 9)
    except ValueError as error:
        print(error)
ints = np.arange(6)


def whole(n, turns):
    for i in range(turns):
        n += i
        n[1:] = n[:-1] * 2 % 7
        n ^= 3
        n[n > 4] -= 2
    return n


same(whole, ints, 9)


def bits(b, turns):
    for i in range(turns):
        b[1:] = b[:-1] ^ b[1:]
        b |= b[::-1]
        b[i % 4] = i % 3 == 0
    return b


same(bits, np.array([True, False, False, True, False]), 9)
