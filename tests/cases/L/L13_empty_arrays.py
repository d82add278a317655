# L13: arrays without items.
from array import array

from support import show


def total(a):
    s = 0
    for v in a:
        s += v
    return s, sum(a), len(a), bool(a), a == a[:0]


def mean(a):
    s = 0.0
    for v in a:
        s += v
    return s / len(a)


def largest(a):
    best = a[0]
    for i in range(1, len(a)):
        if a[i] > best:
            best = a[i]
    return best


def last_seen(a):
    for v in a:
        pass
    return v


def extremes(a):
    if len(a):
        return max(a), min(a)
    return max(a, default="none"), min(a, default=None)


def first_or(a, x):
    for v in a:
        return v
    else:
        return x


show(total, array("d"), array("q"), array("q", [3]), array("d", [0.5]))
show(mean, array("d"), array("q"), array("q", [3]))
show(largest, array("d"), array("q"), array("d", [1, 2.5]))
show(last_seen, array("d"), array("d", [1, 2]))
show(extremes, array("q", [2, 1]), array("q"))
show(first_or, (array("d"), 1), (array("d", [3]), 1), (array("q"), 0.5))
