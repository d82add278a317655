"""Whether gradients that are called again and again take no more memory.

    snekpy -X snek:stage=always gradients.py

Plainly, in a staged loop and in a loop that is differentiated itself, each a gigabyte of records in all. Prints by how many
KiB the process grows behind the first calls.
"""

import math

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


def held():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def calls(times):
    for _ in range(times):
        grad(turned)(0.3, 1000)
    staged(0.3, 1000, times)
    # The outer gradient records what the inner ones compute: for few of them.
    for _ in range(times // 100):
        grad(through)(0.3, 1000, 10)


calls(200)
before = held()
calls(60000)
print(held() - before)
