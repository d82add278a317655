"""Gradients within a limit of memory.

    snekpy -X snek:stage=always --max-memory 200M limited.py

A loop whose record does not fit raises where it is recorded; what the function has done by then is done, and nothing
else. With `checkpoint` the record of n steps is one of twice the root of n, which fits. Where the way back of a
checkpoint records what does not fit, the function has been run to its end.
"""

import math

from snekpy import checkpoint, grad

log = []


def step(y, x):
    return math.sin(y) * x + y * 0.25


def segment(y, x, m):
    for _ in range(m):
        y = step(y, x)
    return y


def plain(x, n):
    log.append("begun")
    y = segment(x, x, n)
    log.append("ended")
    return y


def light(x, k, m):
    log.append("begun")
    y = x
    for _ in range(k):
        y = checkpoint(segment)(y, x, m)
    log.append("ended")
    return y


def grown(x, n):
    log.append("begun")
    items = []
    for i in range(n):
        items.append(x * i)
    log.append("ended")
    return items[n // 2]


def called(name, f, *args):
    log.clear()
    try:
        print(name, grad(f)(*args), log)
    except MemoryError:
        print(name, "MemoryError", log)


called("plain, few", plain, 0.9, 1000)
called("plain", plain, 0.9, 36_000_000)
called("plain, few", plain, 0.9, 1000)
called("light", light, 0.9, 6000, 6000)
called("light, one", light, 0.9, 1, 36_000_000)
called("light, few", light, 0.9, 10, 100)
called("grown", grown, 0.9, 36_000_000)
called("grown, few", grown, 0.9, 100)
