"""Elementwise operations in staged code are one pass: the same bits, whatever the shapes, dtypes and names."""

import snekpy.numpy as np
from snekpy import stage


def show(name, *arrays):
    for x in arrays:
        x = np.asarray(x)
        print(name, x.dtype, x.shape, [repr(it) for it in x.reshape(-1)[:3].tolist()], repr(x.astype(np.float64).sum().item()))


def numbers(*shape, dtype=np.float32):
    n = 1
    for size in shape:
        n *= size
    x = (np.arange(n, dtype=np.float64) * 0.7548776662466927) % 1.0
    return (x * 4 - 2).reshape(shape).astype(dtype)


@stage
def layer(x, b, s):
    return np.maximum(x + b, 0) * s


@stage
def momentum(w, v, g, n):
    for i in range(n):
        v = v * 0.5 + g
        w = w - 0.01 * v
    return w, v


@stage
def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@stage
def turned(x, y):
    return x.T * y[:, ::2] - np.broadcast_to(y[0, 0], (5, 7)) + x[0, 0]


@stage
def chosen(x, y):
    return np.where(x > y, x, -y).astype(np.int32) + np.where(np.isnan(x), 1, 2).astype(np.int32)


@stage
def written_between(x, y):
    z = x + 1
    x[:] = y
    a = z * x
    y += 10
    return a - y, z


@stage
def kept(x):
    y = x * 2
    z = y + 1
    w = z * z
    return y, w, [z, w - y]


@stage
def over_each_other(x, n):
    y = x
    for i in range(n):
        z = y * 0.5
        if i % 3 == 1:
            y = z + y
        else:
            y = z - x
    return x, y


@stage
def powers(x, k):
    y = x + 1
    return y**k - x


@stage
def scaled(x, a, n):
    for i in range(n):
        x = x * a + i
    return x


for dtype in (np.float16, np.float32, np.float64):
    show("layer", layer(numbers(64, 50, dtype=dtype), numbers(50, dtype=dtype), 1.5))
    show("layer", layer(numbers(3, 1, dtype=dtype), numbers(1, 2500, dtype=dtype), 0.5))
    show("softmax", softmax(numbers(64, 10, dtype=dtype)))
    show("turned", turned(numbers(7, 5, dtype=dtype), numbers(5, 14, dtype=dtype)))
    show("chosen", chosen(numbers(33, dtype=dtype), numbers(33, dtype=dtype)[::-1]))
show("layer", layer(np.arange(6, dtype=np.int64).reshape(2, 3), np.arange(3, dtype=np.int64), 3))
show("empty", layer(numbers(0, 4), numbers(4), 2.0))
show("scalars", layer(np.asarray(2.5), np.asarray(-1.0), 2.0))

# Names that outlive the pass, and memory that is written over only where nobody has it.
w, v, g = numbers(784, 50), np.zeros((784, 50), dtype=np.float32), numbers(784, 50) * 0.1
for n in (0, 1, 2, 7):
    show("momentum", *momentum(w, v, g, n))
show("given", w, v, g)
x = numbers(9, dtype=np.float64)
a, b = over_each_other(x, 6)
print(a is x, b is x)
show("over", a, b)
a, b = over_each_other(x, 0)
print(a is x, b is x)
y, w, both = kept(x)
show("kept", y, w, *both)
print(both[1] is w)

# Writes stay where they are.
x, y = numbers(12), numbers(12) * 3
show("written", *written_between(x, y), x, y)

# What raises, raises there, and has changed nothing.
i = np.arange(5, dtype=np.int64)
show("powers", powers(i, np.asarray([2, 0, 1, 3, 2])))
try:
    powers(i, np.asarray([2, 0, -1, 3, 2]))
except ValueError as error:
    print("ValueError", error)
show("powers", i)
show("scaled", scaled(numbers(5), 0.25, 4), scaled(numbers(5), 2.0, 40))
show("scaled", scaled(np.arange(4, dtype=np.int32), 3, 4))
try:
    show("scaled", scaled(np.arange(4, dtype=np.int32), 2**40, 4))
except OverflowError as error:
    print("OverflowError")

#@ reference snekpy: `snekpy.numpy` is not in CPython
