# Elements at positions, one in each row, what is added there on the way back, and joined arrays, on a device: as on the CPU, by
# bits, whatever waits and whatever is written in between.
#@ reference snekpy: CPython has no devices
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import grad, stage

DEVICE = "simt"
warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


def same(name, there, here):
    assert there.device == DEVICE and there.dtype == here.dtype and there.shape == here.shape, (name, there.device)
    if there.to("cpu").tobytes() != here.tobytes():
        print("differs:", name, here.dtype, there, here)


def some(*dims, dtype="float32"):
    return np.sin(np.arange(int(np.prod(np.asarray(dims)))) * 1.7).reshape(dims).astype(dtype)


def ids(*dims, below):
    return (np.arange(int(np.prod(np.asarray(dims)))) * 7 % (2 * below) - below).reshape(dims)


def everywhere(name, function, *args):
    there = [it.to(DEVICE) for it in args]
    same(name, function(*there), function(*args))
    same(name + ", staged", stage(function)(*there), function(*args))


# One of each row, one of each column, several, and what leads there.
x, y = some(6, 5), ids(6, below=5)
everywhere("along the last axis", lambda x, y: np.take_along_axis(x, y[:, None], axis=1), x, y)
everywhere("along the first axis", lambda x, y: np.take_along_axis(x, y, axis=0), x, ids(1, 5, below=6))
everywhere("three of each", lambda x, y: np.take_along_axis(x * 2, y, axis=1) + 1, x, ids(6, 3, below=5))
everywhere("counted", lambda x, y: x[np.arange(6), y], x, y)
everywhere("counted the other way", lambda x, y: x.T[y, np.arange(6)], x, y)
everywhere("a few of them", lambda x, y: x[np.arange(4), y[:4]], x, y)
everywhere("found", lambda x, y: np.take_along_axis(x, np.argmax(x, axis=1, keepdims=True) - y[:, None] * 0, axis=1), x, y)
everywhere("summed", lambda x, y: (np.take_along_axis(np.exp(x), y, axis=1) * y).sum(axis=1), x, ids(6, 3, below=5))
everywhere("of rows", lambda x, y: x[y] - x[0], x, ids(2, 4, below=6))
everywhere("four axes", lambda x, y: np.take_along_axis(x, y, axis=1), some(2, 5, 3, 4), ids(2, 2, 3, 4, below=5))
everywhere("turned", lambda x, y: np.take_along_axis(x.transpose(3, 1, 2, 0), y, axis=1), some(2, 5, 3, 4), ids(4, 2, 3, 2, below=5))
everywhere("in between", lambda x, y: x[:, y, np.arange(3)], some(4, 5, 3), ids(3, below=5))
everywhere("apart", lambda x, y: x[y, :, np.arange(3)] * 2, some(4, 5, 3), ids(3, below=4))


def loss(x, y):
    logs = x - np.log(np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True))
    return -np.take_along_axis(logs, y[:, None], axis=1).sum()


def columns(x, y):
    return (np.take_along_axis(x, y[None, :], axis=0) ** 2).sum()


def counted(x, y):
    return (x[np.arange(6), y] * 3).sum()


def several(x, y):
    return (np.take_along_axis(x, np.stack([y, y, y - 1], axis=1) % 5, axis=1) * np.float32(1.25)).sum()


def zeros(x, y):
    return (x[np.arange(6), y] * -0.0).sum()


def between(x, y):
    return (x.reshape(2, 3, 5)[np.arange(2), :, y[:2]] ** 2).sum()


# Softmax in float32 has the CPU's bits on a device; so has its gradient.
for function in loss, counted, several, zeros, between:
    everywhere(function.__name__, lambda x, y: grad(function)(x, y), x, y)
everywhere("columns", lambda x, y: grad(columns)(x, y), x, ids(5, below=6))
for dtype in "float64", "float16", "bfloat16":
    everywhere("counted", lambda x, y: grad(counted)(x, y), some(6, 5, dtype=dtype), y)
for wrong in np.asarray([0, 5, 1, 0, 0, 0]), np.asarray([0, 0, -6, 0, 0, 0]):
    for function in loss, counted:
        try:
            function(x.to(DEVICE), wrong.to(DEVICE))
        except IndexError as error:
            print(error)


# Joined: parts that wait, parts that somebody else has, views, many of them, one after another, and what goes on with them.
a, b = some(3, 4), some(3, 2)
everywhere("two", lambda a, b: np.concatenate([a, b], axis=1), a, b)
everywhere("waiting", lambda a, b: np.concatenate([a * 2, b + 1, a - 1], axis=1) / 3, a, b)
everywhere("straight", lambda a, b: np.concatenate([a * 2, a + 1, np.exp(a)]), a, b)
everywhere("folded", lambda a, b: np.concatenate([a, b], axis=1).sum(axis=1) + np.stack([a[:, 0], b[:, 1]]).max(axis=0), a, b)
everywhere("rows", lambda a, b: np.stack([a.sum(axis=1), b.max(axis=1)], axis=1), a, b)
everywhere("rows that are straight", lambda a, b: np.stack([np.exp(a).sum(axis=1), np.exp(b).sum(axis=1)]), a, b)
everywhere("views", lambda a, b: np.concatenate([a.T, b.T[::-1], a.T[1:3]]), a, b)
everywhere("turned", lambda a, b: np.concatenate([a.T, a.T * 2], axis=1), a, b)
everywhere("product", lambda a, b: np.concatenate([a, b], axis=1) @ np.concatenate([a.T, b.T]), np.floor(a * 4), np.floor(b * 4))
everywhere("products", lambda a, b: np.concatenate([a @ a.T, b @ b.T]), np.floor(a * 4), np.floor(b * 4))
everywhere("many", lambda a, b: np.stack([a * i for i in range(40)], axis=1), a, b)
everywhere("many that are there", lambda a, b: np.concatenate([a, b] * 20, axis=1), a, b)
everywhere("the same twice", lambda a, b: np.concatenate([a + 1] * 2, axis=1), a, b)
everywhere("nothing", lambda a, b: np.concatenate([a[:0], a, a[:0]]), a, b)
everywhere("four axes", lambda a, b: np.concatenate([a.reshape(3, 1, 2, 2), b.reshape(3, 1, 2, 1)], axis=3), a, b)


def joined(a, b):
    return (np.concatenate([np.exp(a), b, a], axis=1)[:, 1:] ** 2).sum()


everywhere("backwards", lambda a, b: grad(joined)(a, b), a, b)


def held(a, b):
    first = a * 2
    both = np.concatenate([first, b], axis=1)
    first = first + both[:, :4]
    return both * 2 - first[:, :1]


everywhere("held", held, a, b)


# What is written to meanwhile is not what was joined, or read.
def written(a, b):
    a, b = a.copy(), b.copy()
    both, one = np.concatenate([a, b], axis=1), a[np.arange(3), np.asarray([1, 0, 2])]
    other = b + 1
    a[:, 1:] = a[:, :3] * 2 + other[:, :1]
    b += a[:, :2]
    a[0] = other[0, 0]
    return np.concatenate([both, a, b, one[:, None], other], axis=1)


def in_rows(a, b):
    a = a.copy()
    a[:, ::2] = b / b.sum(axis=1, keepdims=True)
    a /= a.sum(axis=1, keepdims=True)
    return a


# What is stretched is computed where it is used, whoever else has it.
def stretched(a, b):
    rows, row, one = b[:, :1] > 0, a[0] * 2 - 1, b.sum() * 0.5
    first = np.where(rows, a * row, row + one)
    second = np.where(rows, first, a.T[:, :1].T)
    return np.concatenate([first, second, a / one, rows * row[None]], axis=1), rows, row, one


def rate(a, b):
    lr = b[0, 0] * 1
    for _ in range(5):
        a, lr = a - a * lr, lr * 0.5
    return a * lr


for at in range(4):
    everywhere("stretched", lambda a, b: stretched(a, b)[at], a, b)
everywhere("rate", rate, a, b)
everywhere("of many axes", lambda a, b: a.reshape(3, 2, 2).transpose(2, 0, 1) * (b[:, :1] + 1) + (b.T[:, :, None] * 2), a, b)
everywhere("written", written, a, b)
everywhere("written in rows", in_rows, np.abs(a), np.abs(b))
print("done")
