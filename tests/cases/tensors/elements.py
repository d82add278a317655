"""Plain loops over the elements of arrays, as they are written for lists."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import math

import snekpy.numpy as np
from support import show


def total(x):
    acc = 0.0
    for i in range(len(x)):
        acc += x[i]
    return acc


def prefix(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1]
    return x


def bubble(x):
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


def heat(u, steps):
    n, m = u.shape
    for s in range(steps):
        v = u.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                v[i, j] = u[i, j] + 0.1 * (u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1] - 4 * u[i, j])
        u = v
    return u


def matmul(a, b):
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            for p in range(k):
                c[i, j] += a[i, p] * b[p, j]
    return c


def matmul2(a, b):
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m), dtype=a.dtype)
    for i in range(n):
        for j in range(m):
            s = 0.0
            for p in range(k):
                s += a[i][p] * b[p][j]
            c[i][j] = s
    return c


def hist(x, bins):
    h = np.zeros(bins, dtype="int64")
    for v in x:
        k = int(v * bins)
        if k == bins:
            k -= 1
        h[k] += 1
    return h


def dot(a, b):
    s = 0
    for i in range(a.shape[0]):
        s = s + a[i] * b[i]
    return s


def life(g):
    n, m = g.shape
    out = np.zeros((n, m), dtype="int64")
    for i in range(n):
        for j in range(m):
            c = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di or dj:
                        c += g[(i + di) % n, (j + dj) % m]
            if c == 3 or (c == 2 and g[i, j] == 1):
                out[i, j] = 1
    return out


def sieve(n):
    p = np.ones(1000, dtype="bool")
    p[0] = p[1] = False
    i = 2
    while i * i < n:
        if p[i]:
            for j in range(i * i, n, i):
                p[j] = False
        i += 1
    count = 0
    for i in range(n):
        if p[i]:
            count += 1
    return count, p


def lcs(a, b):
    n, m = len(a), len(b)
    t = np.zeros((n + 1, m + 1), dtype="int64")
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                t[i, j] = t[i - 1, j - 1] + 1
            else:
                t[i, j] = max(t[i - 1, j], t[i, j - 1])
    return t[n, m], t


def mandel(w, h, limit):
    out = np.zeros((16, 20), dtype="int64")
    for i in range(h):
        for j in range(w):
            cr, ci = -2.0 + 3.0 * j / w, -1.0 + 2.0 * i / h
            zr = zi = 0.0
            k = 0
            while k < limit and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                k += 1
            out[i, j] = k
    return out


def norm(x):
    s = 0.0
    for v in x:
        s += v * v
    return math.sqrt(s)


def f32sum(x):
    s = x[0]
    for i in range(1, len(x)):
        s = s * 0.5 + x[i] / 3
    return s, x[0] > 1, s.dtype.name


def oob(x, i):
    x[0] = 5.0
    return x[i]


def oob2(x, i, j):
    s = 0.0
    for k in range(i):
        s += x[k, j]
        x[k, 0] = s
    return s


def caught(x, i):
    try:
        return x[i]
    except IndexError as e:
        return str(e)


def numbers(n=30):
    return np.array([0.1 * ((i * 7919) % 101) for i in range(n)])


def single(n=30):
    return numbers(n).astype("float32")


def table():
    return numbers(12).reshape(3, 4)


show(total, (numbers(),), (single(),), (np.arange(5),), (np.zeros(0),), (numbers() > 3,))
show(prefix, (numbers(),), (single(),), (np.arange(9),))
show(bubble, (numbers(),), (np.array([3, 1, 2]),), (single(),))
show(heat, (np.arange(30.0).reshape(5, 6), 3), (np.sin(np.arange(48.0)).reshape(8, 6), 4))
show(matmul, (table(), table().T), (table().T, table()))
show(matmul2, (table(), table().T), (single(12).reshape(3, 4), single(12).reshape(4, 3)),
     (np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2)))
show(hist, (numbers() / 10.1, 7), (single() / 10.1, 5))
show(dot, (numbers(), numbers()), (np.arange(4), np.arange(4.0)), (np.arange(4), np.arange(4)),
     (single(), numbers()), (numbers()[::2], numbers(15)), (numbers()[::-1], numbers()))
show(life, (np.array([[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]),))
show(sieve, 100, 1000)
show(lcs, (np.array([1, 2, 3, 4, 1]), np.array([3, 4, 1, 2, 1, 3])))
show(mandel, (20, 16, 30))
show(norm, (numbers(),), (single(),), (np.arange(3),))
show(f32sum, (single(),), (numbers(),))
show(oob, (numbers(), 3), (numbers(), -3), (numbers(), 30), (numbers(), -31))
show(oob2, (table(), 3, 1), (table(), 4, 1), (table(), 2, -5))
show(caught, (numbers(), 3), (numbers(), 99))
