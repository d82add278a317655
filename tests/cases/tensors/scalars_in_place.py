"""An array without axes stands for a scalar of NumPy: `+=` makes another one, and names of the first keep it."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage


@stage(strict=True)
def series(x, limit):
    total = x[0]
    before = total
    rounds = 0
    for i in range(1, len(x)):
        before = total
        total += x[i]
        rounds += 1
        if abs(total - before) < limit:
            break
    return total, before, x[0], rounds


@stage(strict=True)
def mean(x):
    total = x.sum()
    total /= len(x)
    return total


@stage(strict=True)
def wider(x):
    first = x[0]
    kept = [first]
    first *= 2.5
    return first, kept[0]


x = 0.5 ** np.arange(20.0)
for limit in (0.1, 0.001):
    print(series(x, limit))
print(x[0], mean(np.arange(5)), mean(x) == x.sum() / 20)
print(wider(np.array([3, 4])), wider(np.array([3, 4], dtype="float32")))
