# Deques as windows that slide, and of a limited length.
#@ reference snekpy: what errors say of `maxlen`
from collections import deque

from support import show


def maxima(numbers, k):
    window = deque()
    out = []
    for i, x in enumerate(numbers):
        while window and numbers[window[-1]] <= x:
            window.pop()
        window.append(i)
        if window[0] <= i - k:
            window.popleft()
        if i >= k - 1:
            out.append(numbers[window[0]])
    return out


def averages(numbers, k):
    window = deque()
    total = 0.0
    out = []
    for x in numbers:
        window.append(x)
        total += x
        if len(window) > k:
            total -= window.popleft()
        out.append(total / len(window))
    return out, window


def last_three(n):
    recent = deque(maxlen=3)
    out = []
    for i in range(n):
        recent.append(i * i)
        if len(recent) == recent.maxlen:
            out.append(recent[0] + recent[1] * recent[-1])
    return out, recent


def both_ways(n):
    kept = deque([0], maxlen=4)
    for i in range(n):
        if i % 3:
            kept.append(i)
        else:
            kept.appendleft(-i)
    return kept, len(kept), list(kept)


def lengths(n, most):
    kept = deque([], most)
    for i in range(n):
        kept.append(i)
    return kept


def nothing(n):
    kept = deque(maxlen=0)
    for i in range(n):
        kept.append(i)
        kept.appendleft(i)
    return kept, len(kept), bool(kept)


def filled(n):
    kept = deque(range(n), 5)
    kept.extend([1, 2])
    kept.extendleft((n, n + 1, n + 2))
    return kept, kept.maxlen


def smoothed(numbers):
    recent = deque([0.0, 0.0], maxlen=2)
    out = []
    for x in numbers:
        out.append((recent[0] + recent[1] + x) / 3.0)
        recent.append(x)
    return out, recent


numbers = [(i * 7919) % 101 for i in range(200)]
show(maxima, (numbers, 7), (numbers, 1), ([], 3), (numbers[:3], 5))
show(averages, ([1.5, 2.5, -3.0], 2), ([float(x) for x in numbers], 20), ([], 4))
show(last_three, 0, 2, 3, 50)
show(both_ways, 0, 3, 40)
show(lengths, (10, 3), (10, 0), (10, None), (2, 7), (10, -1))
show(nothing, 0, 20)
show(filled, 0, 3, 50)
show(smoothed, [], [1.0], [float(x) for x in numbers])
