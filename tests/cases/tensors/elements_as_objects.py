"""Elements of arrays where they are seen as objects: kept, returned, compared, written into, of each dtype."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import math

import snekpy.numpy as np
from support import show


class Box:
    def __init__(self):
        self.total = 0.0
        self.best = None


def alias(x):
    a = x[0]
    b = a
    a[...] = 5
    return a, b, x


def alias2(x):
    a = x[0]
    b = a
    for i in range(len(x)):
        if x[i] > a:
            b = x[i]
    same = a is b
    return same, a, b


def two(x):
    a = x[1]
    return a, a, [a, x[1]]


def ret_alias(x):
    r = two(x)
    r[0][...] = 9
    return r[1], r[2]


def attr(x):
    b = Box()
    for i in range(len(x)):
        b.total += x[i]
        if b.best is None or x[i] > b.best:
            b.best = x[i]
    return b.total, b.best


def into_list(x):
    out = []
    for i in range(len(x)):
        if x[i] > 1:
            out.append(x[i])
    out.append(out[0])
    out[0][...] = 77
    return out


def lists(x):
    return [v * 2 for v in x]


def ints(x, y):
    r = []
    for i in range(len(x)):
        r.append((x[i] // y[i], x[i] % y[i], x[i] & y[i], x[i] | y[i], x[i] ^ y[i], x[i] << 3, x[i] >> 2, -x[i]))
        r.append((abs(x[i]), ~x[i], x[i] ** 2, x[i] / y[i] if y[i] else None, x[i] == y[i], x[i] < y[i]))
        r.append(divmod(x[i], y[i]))
    return r


def floats(x, y):
    r = []
    for i in range(len(x)):
        r.append((x[i] // y[i], x[i] % y[i], x[i] / y[i], -x[i], abs(x[i]), x[i] ** 2, x[i] ** 3, x[i] ** y[i]))
        r.append((x[i] == y[i], x[i] <= y[i], x[i] != x[i]))
    return r


def funcs(x):
    r = []
    for i in range(len(x)):
        r.append((np.sqrt(abs(x[i])), np.exp(x[i]), np.floor(x[i]), np.maximum(x[i], 0.5), np.minimum(x[i], 1)))
        r.append((np.where(x[i] > 0, x[i], -x[i]), np.isnan(x[i]), np.sign(x[i]), np.clip(x[i], -1, 1), np.square(x[i])))
    return r


def mathf(x):
    s = 0.0
    for v in x:
        s += math.sqrt(abs(v)) + math.sin(v) + math.floor(v) + math.atan2(v, 2.0)
    return s


def store_kinds(x, v, b, k):
    x[0] = v
    x[1] = b
    x[2] = k
    x[-1] = x[0] + k
    x[3] += v
    return x


def mixed(x, n, f):
    return x[0] + n, x[0] * f, n - x[1], f / x[1], x[0] < n, x[1] >= f, x[0] + True, x[0] + x[1] * 2.5


def weak(x, n, f):
    acc = x[0]
    for i in range(n):
        acc = acc * f + i
    return acc


def minmax(x):
    lo = hi = x[0]
    for i in range(1, len(x)):
        lo = min(lo, x[i])
        hi = max(hi, x[i])
    return lo, hi


def clampz(x):
    for i in range(len(x)):
        x[i] = max(0, x[i])
    return x


def argmax(x):
    k = 0
    for i in range(len(x)):
        if x[i] > x[k]:
            k = i
    return k, x[k]


def binsearch(x, t):
    lo, hi = 0, len(x)
    while lo < hi:
        m = (lo + hi) // 2
        if x[m] < t:
            lo = m + 1
        else:
            hi = m
    return lo


def rows(x):
    s = 0.0
    for row in x:
        for v in row:
            s += v
        row[0] = s
    return s, x


def view(x):
    r = x[1]
    t = x.T
    r[2] = 50.0
    s = t[2, 1]
    t[0, 0] = -1
    x[1, 2] += 1
    return r, s, x[0, 0], r[2]


def gather(x, idx):
    s = 0
    for i in range(len(idx)):
        s += x[idx[i]]
    return s


def cumcount(a):
    d = {}
    for v in a:
        k = int(v)
        d[k] = d.get(k, 0) + 1
    return d


def big(x):
    n = 0
    for v in x:
        if v > 0.5:
            n += 1
    return n


def enum(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s += i * a * b
    return s


def fib(n):
    t = np.zeros(n + 2, dtype="int64")
    t[1] = 1
    for i in range(2, n + 1):
        t[i] = t[i - 1] + t[i - 2]
    return t[n]


def rec(x, i):
    if i == len(x):
        return 0
    return x[i] + rec(x, i + 1)


def gen(x):
    def g():
        s = 0
        for v in x:
            s += v
            yield s
    return [v for v in g()]


def gen2(x):
    tot = 0.0
    for v in (w * w for w in x if w > 1):
        tot += v
    return tot


def exc(x, k):
    try:
        for i in range(k):
            x[i] = i
            if x[i] == 3:
                raise ValueError(x[i])
    except ValueError as e:
        return x, e.args
    except IndexError as e:
        return x, str(e)
    finally:
        x[0] = -1
    return x


def fmt(x):
    s = ""
    for i in range(3):
        s += f"{x[i]:.2f};{x[i]};"
    return s + str(x[0])


def noneq(x):
    a = x[0]
    kinds = a is None, a is not None, isinstance(a, np.ndarray), type(a).__name__, a.dtype.name, a.shape, a.ndim
    return kinds, a == a, float(a), int(a), bool(a), a.item()


def some():
    return np.array([0.3, 2.5, -1.25, 7.0, 0.0, 3.5, float("inf"), -0.0])


def singles():
    return some().astype("float32")


def whole():
    return np.array([5, -7, 2**62, -2**63, 0, 9, 3, 1])


def small():
    return np.array([2, 3, -1, -1, 0, -4, 5, 0])


def table():
    return np.arange(12.0).reshape(3, 4)


show(alias, (some(),))
show(alias2, (some(),), (singles(),))
show(ret_alias, (some(),))
show(two, (some(),), (whole(),), (singles(),), (some() > 0,))
show(attr, (some(),), (singles(),))
show(into_list, (some(),))
show(lists, (some(),), (whole(),))
show(ints, (whole(), small()), (small(), whole()))
show(floats, (some(), some()[::-1]), (singles(), singles()[::-1]),
     (some(), np.array([1, 2, 0, -1, 0.0, -2, 3, float("nan")])))
show(funcs, (some(),), (singles(),), (np.array([0.1, -5, 3]),))
show(mathf, (some()[:6],), (singles()[:6],), (small(),), (some() > 0,))
show(store_kinds, (some(), 2.7, True, 3), (singles(), 2.7, False, 3), (whole(), 2.7, True, 3),
     (some() > 0, 2.7, False, 0), (whole(), float("nan"), True, 3), (whole(), float("inf"), True, 2**40),
     (some(), np.array(2.5), 1, 2), (some()[:3], 1.0, True, 2))
show(mixed, (some(), 3, 2.5), (singles(), 3, 2.5), (whole(), 3, 2.5), (some() > 0, 3, 2.5), (singles(), 2**60, 1e300))
show(weak, (some()[1:], 5, 1.5), (singles()[1:], 5, 1.5), (whole(), 5, 2), (whole(), 4, 0.5))
show(minmax, (some(),), (singles(),), (whole(),))
show(clampz, (some(),), (whole(),))
show(argmax, (some(),), (whole(),))
show(binsearch, (np.arange(50.0), 17.5), (np.arange(9), 3))
show(rows, (table(),), (table().astype("float32"),))
show(view, (table(),))
show(gather, (some(), np.array([1, 3, -1])), (whole(), np.array([0, 5])), (some(), np.array([1, 99])))
show(cumcount, (np.array([1, 2, 1, 3, 1]),))
show(big, (np.sin(np.arange(5000.0)),))
show(enum, (some()[:6], some()[:6]), (whole(), small()))
show(fib, 10, 92, 95)
show(rec, (whole()[:2], 0), (some()[:6], 0))
show(gen, (some()[:5],), (small(),))
show(gen2, (some(),))
show(exc, (some(), 3), (some(), 6), (some()[:2], 6), (whole(), 5))
show(fmt, (some(),), (singles(),))
show(noneq, (some(),), (singles(),), (small(),))
