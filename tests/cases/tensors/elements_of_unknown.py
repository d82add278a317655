"""Elements of arrays whose size is known only later: made for a number that is passed, or items of lists."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from support import show


def sieve(n):
    prime = np.ones(n, dtype="bool")
    count = 0
    for i in range(2, n):
        if prime[i]:
            count += 1
            for j in range(i * i, n, i):
                prime[j] = False
    return count, prime[:12]


def knapsack(weights, values, capacity):
    best = np.zeros((len(weights) + 1, capacity + 1), dtype="int64")
    for i in range(1, len(weights) + 1):
        for c in range(capacity + 1):
            best[i, c] = best[i - 1, c]
            if weights[i - 1] <= c:
                other = best[i - 1, c - weights[i - 1]] + values[i - 1]
                if other > best[i, c]:
                    best[i, c] = other
    return best[len(weights), capacity], best[-1]


def decay(n, start):
    x = np.zeros(n)
    x[0] = start
    for i in range(1, n):
        x[i] = x[i - 1] * 0.5 + i
        x[-1] += x[i]
    return x, x[n - 1]


def single(n, step):
    x = np.zeros(n, dtype="float32")
    for k in range(3):
        for i in range(n):
            x[i] += step * i
            x[i] /= 3
    return x


def stored(n, value):
    x = np.zeros(n, dtype="int64")
    for k in range(4):
        for i in range(n):
            x[i] = value * i
            x[i] += 1
    return x


def beyond(n, last):
    x = np.zeros(n)
    for k in range(5):
        for i in range(last):
            x[i] += 1.5
    return x


def of_list(rows, rounds):
    total = 0.0
    for _ in range(rounds):
        for row in rows:
            for i in range(3):
                total += row[i]
                row[i] = total
    return total, rows


def changes_its_mind(n):
    x = np.zeros(n)
    for i in range(n):
        x[i] = i
    x = np.arange(n)
    for k in range(2):
        for i in range(n):
            x[i] += x[i - 1] // 2
        x = x * 0.75
    return x


def other_kinds(xs, n):
    out = []
    for k in range(n):
        x = xs[k % len(xs)]
        out.append(float(x[k % 3]))
    return out


show(sieve, 40, 60, 10)
show(knapsack, (np.array([1, 3, 4, 5]), np.array([1, 4, 5, 7]), 17), ([2, 3], [3, 4], 12))
show(decay, (20, 3.0), (30, 1), (1, 2.0))
show(single, (12, 0.1), (15, 2), (9, True))
show(stored, (8, 2.75), (8, 3), (8, True), (6, float("nan")), (6, float("inf")))
show(beyond, (20, 20), (20, 21), (5, 5))
show(of_list, ([np.arange(3.0), np.ones(4)], 5), ([np.arange(3), np.ones(3, dtype="float32")], 6))
show(changes_its_mind, 20, 25)
show(other_kinds, ([np.arange(3.0)], 30), ([np.arange(3.0), np.arange(3), np.ones((3, 2))], 30), ([[1, 2, 3]], 30))
