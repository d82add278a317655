"""Gradients by models as they are: what is no float is None in them, and one layer in two places is one in the gradient."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
from collections import namedtuple
from dataclasses import dataclass

import snekpy.numpy as np
from snekpy import grad, jvp, stage, stop_gradient, tree, value_and_grad, vjp


class Linear:
    def __init__(self, n, m, act):
        self.w = np.linspace(-1, 1, n * m).reshape(n, m)
        self.b = np.zeros(m)
        self.act, self.name, self.units, self.extra, self.on = act, "linear", m, None, True
        self.ids = np.arange(3)

    def __call__(self, x):
        return self.act(x @ self.w + self.b)


@dataclass
class Net:
    layers: list
    scale: float


def loss(net, x):
    for layer in net.layers:
        x = layer(x)
    return net.scale * (x * x).mean()


def shown(g):
    return [
        (type(it).__name__, it.w.round(4).tolist(), it.b.round(4).tolist(), it.act, it.name, it.units, it.extra, it.on, it.ids)
        for it in g.layers
    ], round(g.scale, 6), type(g).__name__


net = Net([Linear(2, 3, np.tanh), Linear(3, 1, np.tanh)], 2.0)
x = np.linspace(0, 1, 8).reshape(4, 2)
print(shown(grad(loss)(net, x)))
v, g = value_and_grad(loss)(net, x)
print(round(float(v), 6), shown(g) == shown(grad(loss)(net, x)))


@stage
def train(net, x, rate):
    v, g = value_and_grad(loss)(net, x)
    for layer, slope in zip(net.layers, g.layers):
        layer.w = layer.w - rate * slope.w
        layer.b -= rate * slope.b
    return v, slope.units, g.layers[0].act


for _ in range(4):
    v, units, act = train(net, x, 0.5)
    print(round(float(v), 6), units, act, net.layers[0].b.round(4).tolist())
plain = Net([Linear(2, 3, np.tanh), Linear(3, 1, np.tanh)], 2.0)
for _ in range(4):
    g = grad(loss)(plain, x)
    plain = tree.map(lambda p, g: p - 0.5 * g if hasattr(p, "shape") else p, plain, g)
print(plain.layers[0].b.round(4).tolist(), plain.layers[0].units, plain.scale)

# One layer in two places: one gradient in two places, the sum.
tied = Linear(2, 2, np.tanh)
g = grad(loss)(Net([tied, tied], 1.0), x)
print(g.layers[0] is g.layers[1], g.layers[0].w.round(4).tolist())


@stage
def inside(net, x):
    g = grad(loss)(net, x)
    return g.layers[0] is g.layers[1], g.layers[0].w


for _ in range(2):
    same, w = inside(Net([tied, tied], 1.0), x)
    print(same, w.round(4).tolist())

Params = namedtuple("Params", "w b")


def square(p, x):
    return ((x @ p.w + p.b) ** 2).sum()


p = Params(np.ones((2, 2)), np.zeros(2))
g = grad(square)(p, x)
print(type(g).__name__, g.w.round(4).tolist(), g.b.round(4).tolist())
staged = stage(lambda p, x: grad(square)(p, x))
for _ in range(3):
    h = staged(p, x)
    print(type(h).__name__, (h.w == g.w).all(), isinstance(h, Params))

# Dicts of mixed things, and lists in them.
mixed = {"w": np.ones(2), "n": 3, "name": "m", "f": np.tanh, "none": None, "list": [1, 2.0, "x"], "sub": {"b": 1.5, "k": True}}


def of_mixed(p):
    return (p["w"] ** p["n"]).sum() * p["list"][1] * p["sub"]["b"]


print(grad(of_mixed)(mixed))
print(stage(lambda p: grad(of_mixed)(p))(mixed))

# A method, by the object.
class Model:
    def __init__(self):
        self.w, self.k = np.ones(2), 2

    def loss(self, x):
        return ((self.w * x) ** self.k).sum()

    @stage
    def step(self, x):
        g = grad(Model.loss)(self, x)
        self.w = self.w - 0.1 * g.w
        return g.k


m = Model()
for _ in range(3):
    print(m.step(np.arange(2.0)), m.w.tolist())

print(jvp(of_mixed, (mixed,), (tree.map(lambda it: it * 0 + 1.0 if hasattr(it, "shape") or type(it) is float else it, mixed),)))
value, pull = vjp(square, p, x)
slope = pull(np.array(1.0))[0]
print(round(float(value), 6), type(slope).__name__, slope.b.round(4).tolist())

# Constants.
print(grad(lambda p: (p["w"] * stop_gradient(p)["w"]).sum())({"w": np.arange(3.0)}))
print(grad(lambda p: (p[0] * stop_gradient(p[0])).sum())([np.arange(3.0)]))


def stopped(net, x):
    frozen = stop_gradient(net)
    frozen.scale = 3.0
    return loss(net, x) + loss(frozen, x)


g = grad(stopped)(net, x)
print(round(g.scale, 6), net.scale)
print(stage(stopped)(net, x) == stopped(net, x), net.scale)

for call in (lambda: grad(loss)(3, x), lambda: grad(lambda p: p["n"] * 1.0)({"n": 3, "w": 1.0}), lambda: grad(lambda n: n * 1.0)(3)):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
