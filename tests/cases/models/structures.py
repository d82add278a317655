"""Dicts, objects and named tuples of arrays as arguments: keyed by structure, changed in place, grown, copied, aliased."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
from collections import namedtuple
from dataclasses import dataclass, replace
from typing import NamedTuple

import snekpy.numpy as np
from snekpy import stage


def ones(*shape):
    return np.ones(shape)


def few(name, staged, most=3):
    stats = staged.stats()
    count = len(stats["specialisations"])
    print(name, "few" if count <= most else f"{count} specialisations", stats["plain_calls"], "plain")


# A dict whose items are replaced, by the same keys, in the same object and in others.
@stage
def step(p, x):
    p["w"] = p["w"] - 0.1 * x
    return (p["w"] * x).sum()


p, x = {"w": ones(4), "b": ones(2)}, np.arange(4.0)
print([float(step(p, x)) for _ in range(4)], p["w"].tolist(), list(p))
print([float(step({"w": ones(4), "b": ones(2)}, x)) for _ in range(4)])
few("dict", step)


# Keys come and go; the order stays.
@stage
def grow(p, x):
    p["new"] = p.pop("w") + x
    p["n"] = p["n"] + 1
    return list(p), len(p)


for k in range(4):
    p = {"w": ones(2), "b": ones(3), "n": k}
    print(grow(p, 1.0), list(p), p["new"].tolist(), p["n"])
few("grow", grow)


# Nested, exchanged, and one in two places.
@stage
def swap(p):
    p["a"], p["b"] = p["b"], p["a"]
    p["a"]["w"] = p["a"]["w"] * 2.0
    return p["a"]["w"].sum() + p["b"]["w"].sum()


for k in range(4):
    a, b = {"w": ones(2) * k}, {"w": ones(3)}
    p = {"a": a, "b": b}
    print(float(swap(p)), a["w"].tolist(), b["w"].tolist(), p["a"] is b, p["b"] is a)
for k in range(3):
    a = {"w": ones(2) + k}
    print(float(swap({"a": a, "b": a})), a["w"].tolist())
few("swap", swap)


# Read by `**`, `dict()`, `|`, iteration and comprehension.
@stage
def read(p, q):
    both = p | q
    copy = dict(p)
    copy["w"] = copy["w"] + 1.0
    scaled = {name: value * 2.0 for name, value in both.items()}
    total = 0.0
    for name, value in scaled.items():
        total = total + value.sum()
    return total + call(**p), copy, sorted(both), p["w"] is both["w"]


def call(w, b):
    return w.sum() - b.sum()


for k in range(4):
    total, copy, names, same = read({"w": ones(2) * k, "b": ones(3)}, {"c": ones(2)})
    print(float(total), copy["w"].tolist(), names, same)
few("read", read)


class Layer:
    def __init__(self, n, m, act):
        self.w, self.b, self.act, self.name, self.size = ones(n, m) * 0.5, ones(m), act, f"layer {n}", m

    def __call__(self, x):
        return self.act(x @ self.w + self.b)


class Slots:
    __slots__ = ("w", "n")

    def __init__(self, w, n):
        self.w, self.n = w, n


@dataclass
class Net:
    layers: list
    scale: object
    head: object = None


def relu(x):
    return np.maximum(x, 0.0)


@stage
def forward(net, x):
    for layer in net.layers:
        x = layer(x)
    return (x * net.scale).reshape(-1, net.layers[-1].size).sum()


@stage
def update(net, rate):
    for layer in net.layers:
        layer.w = layer.w - rate * layer.w
        layer.b -= rate
    net.scale = net.scale * 0.5
    return replace(net, head=net.layers[0])


x = ones(3, 2)
for k in range(4):
    net = Net([Layer(2, 4, relu), Layer(4, 3, np.tanh)], ones(3) * (k + 1))
    print(round(float(forward(net, x)), 6), end=" ")
    other = update(net, 0.1)
    print(round(float(forward(net, x)), 6), other.head is net.layers[0], other.layers is net.layers, net.layers[0].b.tolist())
tied = Layer(2, 2, np.tanh)
for k in range(3):
    net = Net([tied, tied], ones(2))
    print(round(float(forward(net, ones(2, 2))), 6), end=" ")
    update(net, 0.1)
    print(tied.b.tolist())
# One more where the two are one.
few("forward", forward, 4)
few("update", update, 4)


@stage
def slotted(s, x):
    s.w = s.w + x
    s.n += 1
    return s.w.sum()


for k in range(4):
    s = Slots(ones(2) * k, k)
    print(float(slotted(s, 1.0)), s.w.tolist(), s.n)
few("slots", slotted)

Point = namedtuple("Point", "w b")


class Typed(NamedTuple):
    w: object
    kind: str = "typed"

    def total(self):
        return self.w.sum()


@stage
def named(p, t):
    w, b = p
    q = p._replace(w=w + 1.0)
    return (w * b).sum() + t.total(), q, p, t.kind, isinstance(t, tuple), p == p


for k in range(4):
    given = Point(ones(2) * k, ones(2) * 3.0)
    total, q, same, kind, is_tuple, equal = named(given, Typed(ones(2)))
    print(float(total), q.w.tolist(), type(q).__name__, same is given, kind, is_tuple, equal)
few("named", named)
