"""Whether gradients that are called again and again take no more memory.

    snekpy -X snek:stage=always gradients.py

Plainly, in a staged loop and in a loop that is differentiated itself, each a gigabyte of records in all; with lists, dicts,
arrays, recursion and exceptions. Prints by how many KiB the process grows behind the first calls.
"""

import math

import snekpy.numpy as np
from snekpy import grad, stage


def turned(x, n):
    y = x
    for i in range(n):
        y = math.sin(y) * x
    return y


@stage(strict=True)
def staged(x, n, times):
    for _ in range(times):
        x = x - 0.001 * grad(turned)(x, n)
    return x


def through(x, n, times):
    for _ in range(times):
        x = x - 0.001 * grad(turned)(x, n)
    return x


def contained(x, n):
    total = 0.0
    for i in range(n):
        items, known = [total, x], {}
        items.append(x * i)
        for k in range(4):
            known[k] = items[-1] * k + known.get(k - 1, x)
        try:
            total += math.sqrt(known[2] - 1.0) + items.pop()
        except ValueError:
            total = math.sin(total) + sum(known.values(), 0.0)
    return total


def nested(x, n):
    return x if n == 0 else math.sin(nested(x, n - 1)) * x


def layered(w, x):
    for _ in range(6):
        x = np.tanh(x @ w) + x
    return (x * x).sum()


def held():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def calls(times):
    for _ in range(times):
        grad(turned)(0.3, 1000)
    staged(0.3, 1000, times)
    for _ in range(times // 10):
        grad(contained)(0.3, 30)
        grad(nested)(0.3, 50)
        grad(layered)(W, X)
    # The outer gradient records what the inner ones compute: for few of them.
    for _ in range(times // 100):
        grad(through)(0.3, 1000, 10)


W, X = np.ones((16, 16)) * 0.01, np.ones((4, 16))
calls(200)
before = held()
calls(60000)
print(held() - before)
