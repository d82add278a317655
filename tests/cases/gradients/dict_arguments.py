# Derivatives by dicts with numbers as keys: short ones by their keys, long ones and others in each call as they come.
import math

from snekpy import grad, jacrev, stage, value_and_grad, vjp
from support import rounded


def around(d, n):
    s = 0.0
    for i in range(n):
        s += d[i] * d[(i + 1) % n] * (i + 1)
    doubled = {k: v * 2 for k, v in d.items()}
    return s + doubled[0]


def changed(d, x):
    d[1] = d[1] * x
    d[5] = x * 2
    return d[1] + d[5] * d[0]


def emptied(d):
    return d.pop(0) * d[1]


def filled(d, x, n):
    for i in range(n):
        d[n + i] = d.get(i, x) * math.sin(x * i)
    return sum(d.values(), 0.0)


print(rounded(value_and_grad(around)({0: 1.0, 1: 2.0, 2: 3.0}, 3)))
g = grad(around)
for n in 3, 4, 5, 3, 40, 700:
    found = g({i: 0.5 + 0.01 * i for i in range(n)}, n)
    print(n, list(found) == list(range(n)), rounded([found[0], found[n // 2], found[n - 1]]))
print(rounded(grad(lambda d: d[0.5] * d[True] + d["a"] ** 2)({0.5: 2.0, True: 3.0, "a": 4.0})))
print(rounded(vjp(lambda d: {1: d[1] * d[2], "b": d[2]}, {1: 2.0, 2: 3.0})[1]({1: 1.0, "b": 2.0})))
print(rounded(jacrev(lambda d: {1: d[1] * d[2], "b": d[2]})({1: 2.0, 2: 3.0})))
for f in changed, filled:
    for n in 2, 3, 4, 5:
        d = {i: 1.0 + i for i in range(n)}
        args = (d, 3.0) if f is changed else (d, 3.0, n)
        print(f.__name__, rounded(grad(f)(*args)), rounded(d))
for n in 2, 3, 4:
    d = {i: 1.0 + i for i in range(n)}
    print(rounded(grad(emptied)(d)), rounded(d))
h = grad(lambda x, t: sum(t.values()) * x)
print([rounded(h(2.0, {i: float(i) for i in range(n)})) for n in (1, 2, 3, 50, 1000)])


@stage
def inside(x, n):
    t = 0.0
    for i in range(n):
        found = grad(lambda d: d[0] * d[1] ** 2)({0: x, 1: x * i})
        t += found[0] + found[1]
    return t


print(rounded(inside(1.5, 4)))
