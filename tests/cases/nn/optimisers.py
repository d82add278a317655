"""Optimisers over twenty steps against their formulas, number by number; whatever a model is made of."""
#@ reference snekpy: CPython has no `snekpy.optim`
import math
from collections import namedtuple

import snekpy.numpy as np
from snekpy import grad, nn, optim, stage, tree, value_and_grad

START = [1.5, -0.25, 0.75]


class Model:
    def __init__(self):
        self.w, self.b, self.name, self.eps, self.size = np.array(START), [np.array(0.1)], "model", 0.5, 3


def loss(model):
    w, b = model.w, model.b[0]
    return ((w * w - np.array([0.5, 2.0, -1.0])) * w).sum() * 0.5 + np.cos(3.0 * b) * w[0]


def slopes_of(w, b):
    wanted = (0.5, 2.0, -1.0)
    by_w = [0.5 * (3.0 * it * it - to) for it, to in zip(w, wanted)]
    by_w[0] += math.cos(3.0 * b)
    return by_w + [-3.0 * math.sin(3.0 * b) * w[0]]


def twenty(model, opt, steps):
    value = 0.0
    for _ in range(steps):
        value, grads = value_and_grad(loss)(model)
        opt.update(model, grads)
    return value


def by_hand(begin, step):
    """The numbers after twenty steps, each changed by itself; what is kept for one is a dict."""
    numbers, kept = START + [0.1], [begin() for _ in range(4)]
    for n in range(1, 21):
        slopes = slopes_of(numbers[:3], numbers[3])
        numbers = [step(p, g, of, n) for p, g, of in zip(numbers, slopes, kept)]
    return numbers


def check(name, make, begin, step):
    found = []
    for run in (twenty, stage(twenty)):
        for counts in ((20,), (1, 4, 15)):
            model = Model()
            opt = make(model)
            w, b = model.w, model.b[0]
            for count in counts:
                run(model, opt, count)
            assert model.w is w and model.b[0] is b and model.eps == 0.5 and model.size == 3 and opt.count == 20, name
            found.append(w.tolist() + [b.item()])
    assert all(it == found[0] for it in found), (name, found)
    wanted = by_hand(begin, step)
    off = max(abs(a - b) for a, b in zip(found[0], wanted))
    assert off < 1e-12, (name, off, found[0], wanted)
    print(name, [round(it, 9) for it in found[0]])


check("SGD", lambda m: optim.SGD(m, 0.05), dict, lambda p, g, of, n: p - 0.05 * g)
check("SGD decayed", lambda m: optim.SGD(m, 0.05, weight_decay=0.1), dict, lambda p, g, of, n: p - 0.05 * (g + 0.1 * p))


def momentum(p, g, of, n):
    of["v"] = 0.9 * of["v"] + g
    return p - 0.01 * of["v"]


def nesterov(p, g, of, n):
    of["v"] = 0.9 * of["v"] + g
    return p - 0.01 * (g + 0.9 * of["v"])


def dampened(p, g, of, n):
    of["v"] = 0.9 * of["v"] + g * (1.0 if n == 1 else 0.5)
    return p - 0.01 * of["v"]


still = lambda: {"v": 0.0, "m": 0.0, "s": 0.0}
check("SGD momentum", lambda m: optim.SGD(m, 0.01, 0.9), still, momentum)
check("SGD nesterov", lambda m: optim.SGD(m, 0.01, 0.9, nesterov=True), still, nesterov)
check("SGD dampened", lambda m: optim.SGD(m, 0.01, 0.9, dampening=0.5), still, dampened)


def adam(p, g, of, n, decay=0.0, shrink=0.0, rate=0.02):
    g = g + decay * p
    of["m"] = 0.9 * of["m"] + 0.1 * g
    of["s"] = 0.99 * of["s"] + 0.01 * g * g
    mean, square = of["m"] / (1 - 0.9**n), of["s"] / (1 - 0.99**n)
    return p - rate * shrink * p - rate * mean / (math.sqrt(square) + 1e-8)


check("Adam", lambda m: optim.Adam(m, 0.02, (0.9, 0.99)), still, adam)
check("Adam decayed", lambda m: optim.Adam(m, 0.02, (0.9, 0.99), weight_decay=0.3), still, lambda *it: adam(*it, decay=0.3))
check("AdamW", lambda m: optim.AdamW(m, 0.02, (0.9, 0.99), weight_decay=0.3), still, lambda *it: adam(*it, shrink=0.3))
falling = lambda count: 0.02 / (1 + count)
check("Adam scheduled", lambda m: optim.Adam(m, falling, (0.9, 0.99)), still, lambda p, g, of, n: adam(p, g, of, n, rate=0.02 / n))


def rmsprop(p, g, of, n):
    of["s"] = 0.9 * of["s"] + 0.1 * g * g
    return p - 0.01 * g / (math.sqrt(of["s"]) + 1e-8)


def rmsprop_centred(p, g, of, n):
    of["s"] = 0.9 * of["s"] + 0.1 * g * g
    of["m"] = 0.9 * of["m"] + 0.1 * g
    of["v"] = 0.5 * of["v"] + g / (math.sqrt(of["s"] - of["m"] * of["m"]) + 1e-8)
    return p - 0.001 * of["v"]


check("RMSprop", lambda m: optim.RMSprop(m, 0.01, 0.9), still, rmsprop)
check("RMSprop centred", lambda m: optim.RMSprop(m, 0.001, 0.9, momentum=0.5, centered=True), still, rmsprop_centred)


def adagrad(p, g, of, n):
    of["s"] = of["s"] + g * g
    return p - 0.1 / (1 + (n - 1) * 0.2) * g / (math.sqrt(of["s"]) + 1e-10)


check("Adagrad", lambda m: optim.Adagrad(m, 0.1, rate_decay=0.2, initial=0.5), lambda: {"s": 0.5}, adagrad)


def lion(p, g, of, n):
    along = 0.9 * of["m"] + 0.1 * g
    of["m"] = 0.99 * of["m"] + 0.01 * g
    return p - 0.01 * ((along > 0) - (along < 0) + 0.2 * p)


check("Lion", lambda m: optim.Lion(m, 0.01, weight_decay=0.2), still, lion)


# Whatever a model is made of: objects, with slots, named tuples, tuples; ints, texts, functions, numbers, None stay.
class Layer:
    buffers = ("seen",)

    def __init__(self, n):
        self.w, self.seen, self.ids = np.ones(n), np.ones(n), np.arange(n)
        self.act, self.name, self.none, self.eps, self.on = np.tanh, "layer", None, 0.5, True


class Slots:
    __slots__ = ("name", "w", "n")

    def __init__(self, n):
        self.w, self.n, self.name = np.ones(n), n, "slots"


Pair = namedtuple("Pair", "left right")


def of_all(model):
    layer, slots, (pair, single) = model["layer"], model["slots"], model["rest"]
    total = (layer.w * layer.w).sum() * layer.eps + (slots.w * slots.w).sum() / 2 + (layer.seen * layer.w).sum()
    return total + (pair.left * pair.right).sum() + single


def steps(model, opt, n):
    for _ in range(n):
        opt.update(model, grad(of_all)(model))


for run in (steps, stage(steps)):
    shared = np.ones(2) * 2.0
    model = {"layer": Layer(2), "slots": Slots(3), "rest": (Pair(shared, shared), np.array(1.0))}
    opt = optim.SGD(model, 0.1, 0.5, weight_decay=0.01)
    run(model, opt, 1)
    run(model, opt, 2)
    layer, slots, (pair, single) = model["layer"], model["slots"], model["rest"]
    print(layer.w.round(9).tolist(), layer.seen.tolist(), layer.ids.tolist(), layer.name, layer.none, layer.eps, layer.on)
    print(slots.w.round(9).tolist(), slots.n, slots.name, pair.left.round(9).tolist(), pair.left is pair.right, single.round(9))
    print([sorted(it) if it else it for it in opt.slots])

# The gradient of one in two places is the sum: by hand, 2 * 2 * p for p * p.
p = 2.0
v = 0.0
for _ in range(3):
    v = 0.5 * v + 2 * p + 0.01 * p
    p = p - 0.1 * v
print(round(p, 9))

# An object in two places is one object in the gradient, too.
tied = nn.Linear(2, 2, bias=False, key=1, dtype="float64")
begun = tied.weight.tolist()
net, x = nn.Sequential(tied, nn.tanh, tied), np.eye(2)
of_net = lambda net, x: (net(x) ** 2).sum()
g = grad(of_net)(net, x)
opt = optim.SGD(net, 0.1)
wanted = (tied.weight - 0.1 * g.layers[0].weight).tolist()
opt.update(net, g)
print(tied.weight.tolist() == wanted, [it is not None for it in opt.slots])
print(float(optim.global_norm(g).round(9)), float(np.sqrt(2 * (g.layers[0].weight ** 2).sum()).round(9)))


# Many parameters, of many shapes, in a staged loop.
def many(net, opt, n):
    for _ in range(n):
        grads = grad(lambda net: sum([((p - 1.0) ** 2).sum() for p in net.parts]))(net)
        opt.update(net, optim.clip_by_global_norm(grads, 1.0))
    return optim.global_norm(grads)


class Parts:
    def __init__(self):
        self.parts = [np.zeros(1 + n % 5) for n in range(20)] + [np.zeros((2, 1 + n % 3)) for n in range(20)]


for run in (many, stage(many)):
    net = Parts()
    opt = optim.AdamW(net, 0.1)
    print([round(float(run(net, opt, n)), 6) for n in (1, 3)], nn.parameters(net)["parts.39"].round(6).tolist())


# Which parameters shrink.
def shrink(net, opt, n):
    for _ in range(n):
        opt.update(net, tree.map(lambda p: p * 0.0, net))


for make in (optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop, optim.Adagrad, optim.Lion):
    for run in (shrink, stage(shrink)):
        net = {"w": np.ones((2, 2)), "b": np.ones(2), "last": np.ones((1, 1))}
        opt = make(net, 0.1, weight_decay=0.5, decays=lambda name, p: p.ndim > 1 and name != "last")
        run(net, opt, 2)
        print(make.__name__, net["w"].round(6).tolist()[0], net["b"].tolist(), net["last"].tolist())


# A class that derives from another one has its buffers, too; what is called so and is no list of names is none.
class Sub(Layer):
    buffers = ["more"]

    def __init__(self):
        super().__init__(2)
        self.more = np.ones(1)


class Named:
    def __init__(self):
        self.w = np.ones(1)

    def buffers(self):
        return []


print(list(nn.buffers(Sub())), list(nn.parameters(Sub())), list(nn.parameters(Named())))


# What is said where something is wrong.
def of_w(p):
    return (p["w"] * 1.0).sum()


good = {"w": np.ones(2)}
opt = optim.Adam(good)
for call in (
    lambda: optim.Adam({"w": 1.0, "n": 3}),
    lambda: optim.SGD(good, -1.0),
    lambda: optim.SGD(good, "fast"),
    lambda: optim.SGD(good, 0.1, 1.0),
    lambda: optim.SGD(good, 0.1, nesterov=True),
    lambda: optim.Adam(good, betas=(0.9, 1.0)),
    lambda: opt.update({"w": np.ones(2), "b": np.ones(1)}, {"w": np.ones(2), "b": np.ones(1)}),
    lambda: opt.update(good, {"v": np.ones(2)}),
    lambda: opt.update(good, {"w": np.ones(3)}),
):
    try:
        print(call())
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)

# Limits.
g = {"a": np.array([3.0, 0.0]), "b": [np.array(4.0), None]}
for clipped in (
    optim.clip_by_global_norm(g, 1.0), optim.clip_by_global_norm(g, 10.0), optim.clip_by_norm(g, 2.0), optim.clip_by_value(g, 2.5),
):
    print(clipped["a"].tolist(), clipped["b"][0].item(), clipped["b"][1])


def clipped_step(model, opt, limit):
    value, grads = value_and_grad(loss)(model)
    grads = optim.clip_by_global_norm(grads, limit)
    opt.update(model, grads)
    return optim.global_norm(grads)


for run in (clipped_step, stage(clipped_step)):
    model = Model()
    opt = optim.SGD(model, 0.1)
    print([round(float(run(model, opt, limit)), 9) for limit in (0.5, 100.0)], model.w.round(9).tolist())
