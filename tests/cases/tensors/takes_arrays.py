# A staged function is given arrays: it reads their attributes, computes with them and gives them back.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage


@stage
def scaled(x, factor):
    return x * factor + 1.0


@stage
def described(x):
    if x.ndim == 2:
        return x.shape[0] * 10 + x.shape[1], x.dtype.name, x.size
    return x.shape, x.T.shape, len(x)


@stage
def polynomial(x, n):
    total = np.zeros_like(x)
    power = 1.0
    for i in range(n):
        total = total + power * i
        power = power * x
    return total


x = np.arange(6.0).reshape(2, 3)
for _ in range(2):
    print(scaled(x, 2.0), scaled(x, 3), scaled(2.5, 2.0))
    print(described(x), described(x[0]), described(np.ones(3, dtype="float32")))
    print(polynomial(x, 4), polynomial(np.float32(2.0), 3))
print(x)
