# L01 to L13 with arrays of snekpy.numpy: shapes, dtypes, broadcasting, shapes that differ between calls or depend on
# values, elements that leave, aliases, rows, gradients, nothing at all.
import math

import snekpy.numpy as np
from snekpy import grad, stage


def shown(x):
    if isinstance(x, (tuple, list)):
        return type(x)(shown(it) for it in x)
    return (x.dtype.name, x.shape, x.tolist()) if isinstance(x, np.ndarray) else x


def show(f, *args):
    staged = stage(f)
    for _ in range(2):
        try:
            print(f.__name__, shown(staged(*args)))
        except Exception as error:
            print(f.__name__, type(error).__name__, error, "at line", error.__traceback__.tb_next.tb_lineno)


def L01_add(x, y):
    z = x * 2
    return z + y


def L01_matmul(x, y):
    return x @ y


def L02_dtypes(x, y):
    return x + y, x * 2, y * 2, x / y, (x > 1) & (y > 1)


def L03_broadcasting(x, y):
    return x + y, x * y[0], (x + y).sum(axis=0)


def L04_static_branch(x):
    return x[:4].sum() if x.shape[0] > 4 else x * 2


def L05_batches(x):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] * i
    return total


def L06_value_dependent(n, x):
    return np.zeros(n) + 1, x[x > 1.5], np.nonzero(x)


def L07_out(x):
    loss = (x * x).sum()
    print("loss", loss, float(loss))
    return float(loss), loss.item(), loss.tolist(), math.sqrt(loss)


def L09_in_place(x):
    y = x
    row = x[0]
    x[0] = 5
    x += 1
    return y, row


def L10_rows(x):
    return [row.sum().item() for row in x]


def L13_empty(x):
    return x.sum(), x.prod(), x + 1, np.concatenate([x, x])


def L13_mean(x):
    return x.max()


def piecewise(x):
    y = x
    while (y * y).sum() < 10.0:
        y = y * 1.5
    return y.sum() if y[0] > 0 else (y * x).sum()


def power(x, n):
    return x if n == 0 else x * power(x, n - 1)


a, b = np.ones((2, 3)), np.ones(4)
show(L01_add, a, b)
show(L01_add, a, np.ones(3))
show(L01_matmul, a, b)
show(L02_dtypes, np.array([1, 2], dtype="int32"), np.array([1.5, 2.5], dtype="float32"))
show(L03_broadcasting, np.arange(3.0).reshape(3, 1), np.arange(4.0).reshape(1, 4))
for size in (3, 5, 8):
    show(L04_static_branch, np.arange(float(size)))
batches = stage(L05_batches)
print([shown(batches(np.ones((n, 2)))) for n in (2, 3, 4, 2, 3)])
show(L06_value_dependent, 3, np.array([1.0, 2.0, 0.0]))
show(L07_out, np.array([1.0, 2.0]))
show(L09_in_place, np.zeros((2, 2)))
show(L10_rows, np.arange(6.0).reshape(3, 2))
print(shown(grad(piecewise)(np.array([0.5, 1.0]))), shown(grad(lambda x: power(x, 3).sum() * 1.0)(np.array([2.0, 3.0]))))
print(shown(grad(lambda x, y: (x * 2).sum(), argnums=(0, 1))(a, b)))
try:
    grad(lambda n: n.sum() * 1.0)(np.arange(3))
except TypeError as error:
    print(error)
show(L13_empty, np.zeros((0, 2)))
show(L13_mean, np.zeros((0, 2)))
