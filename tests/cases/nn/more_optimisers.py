"""L-BFGS against its formulas over lists of floats, schedules against theirs, averages of parameters."""
#@ reference snekpy: CPython has no `snekpy.optim`
import math

import snekpy.numpy as np
from snekpy import nn, optim, random, stage, value_and_grad

FIRST = [0.8, -1.2, 0.5]


class Model:
    def __init__(self):
        self.a, self.b, self.name = np.array(FIRST[:2]), [np.array(FIRST[2])], "model"


def loss(model):
    x, y, z = model.a[0], model.a[1], model.b[0]
    return (x - 1.0) ** 2 + 3.0 * (y - x * x) ** 2 + 0.5 * (z - y) ** 2 + 0.1 * np.cos(z)


def value_of(p):
    x, y, z = p
    return (x - 1) ** 2 + 3 * (y - x * x) ** 2 + 0.5 * (z - y) ** 2 + 0.1 * math.cos(z)


def slopes_of(p):
    x, y, z = p
    return [2 * (x - 1) - 12 * x * (y - x * x), 6 * (y - x * x) - (z - y), (z - y) - 0.1 * math.sin(z)]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def by_hand(rate, history, steps, search):
    p, last, pairs, scale = FIRST, None, [], 1.0
    for n in range(steps):
        g = slopes_of(p)
        if last is not None:
            s, y = [a - b for a, b in zip(p, last[0])], [a - b for a, b in zip(g, last[1])]
            if dot(s, y) > 1e-10:
                pairs = (pairs + [(s, y, 1 / dot(s, y))])[-history:]
                scale = dot(s, y) / dot(y, y)
        last = p, g
        d, shares = [-v for v in g], []
        for s, y, inverse in reversed(pairs):
            shares.append(inverse * dot(s, d))
            d = [v - shares[-1] * w for v, w in zip(d, y)]
        d = [scale * v for v in d]
        for (s, y, inverse), share in zip(pairs, reversed(shares)):
            off = share - inverse * dot(y, d)
            d = [v + off * w for v, w in zip(d, s)]
        length = rate * (1.0 if n else min(1.0, 1 / sum(map(abs, g))))
        before = value_of(p)
        while True:
            new = [v + length * w for v, w in zip(p, d)]
            if not search or value_of(new) <= before + 1e-4 * length * dot(g, d):
                break
            length *= 0.5
        p = new
    return p


def update(model, opt, steps):
    value = 0.0
    for _ in range(steps):
        value, grads = value_and_grad(loss)(model)
        opt.update(model, grads)
    return value


def search(model, opt, steps):
    value = 0.0
    for _ in range(steps):
        value = opt.search(loss, model)
    return value


for what, how in ((update, {"rate": 0.5}), (update, {"rate": 0.3, "history": 2}), (search, {}), (search, {"history": 3})):
    found = []
    for run in (what, stage(what)):
        model = Model()
        opt = optim.LBFGS(model, **how)
        values = [float(run(model, opt, steps)) for steps in (1, 3, 8)]
        found.append(model.a.tolist() + [model.b[0].item()] + values)
        assert opt.count == 12
    assert found[0] == found[1], found
    wanted = by_hand(how.get("rate", 1.0), how.get("history", 10), 12, what is search)
    off = max(abs(a - b) for a, b in zip(found[0], wanted))
    assert off < 1e-9, (what.__name__, off, found[0], wanted)
    print(what.__name__, how, [round(it, 9) for it in wanted], round(value_of(wanted), 9))

# A linear regression is solved.
x = random.normal(random.key(0), (20, 3), "float64")
y = x @ np.array([1.0, -2.0, 0.5]) + 0.25
line = nn.Linear(3, 1, key=1, dtype="float64")
opt = optim.LBFGS(line)
of_line = lambda line, x, y: nn.mse_loss(line(x)[:, 0], y)
for _ in range(12):
    last = opt.search(of_line, line, x, y)
print(float(last) < 1e-12, line.weight.round(5).T.tolist(), line.bias.round(5).tolist())
for call in (lambda: optim.LBFGS(line, history=0), lambda: optim.LBFGS({"n": 1}), lambda: optim.LBFGS(line, -1.0)):
    try:
        print(call())
    except ValueError as error:
        print(error)


# Schedules.
def cosine(n, first, steps, alpha=0.0):
    return first * ((1 - alpha) * 0.5 * (1 + math.cos(math.pi * min(n, steps) / steps)) + alpha)


SCHEDULES = {
    "constant": (optim.constant_schedule(0.5), lambda n: 0.5),
    "linear": (optim.linear_schedule(1.0, 0.2, 8, 2), lambda n: 1.0 - 0.1 * min(max(n - 2, 0), 8)),
    "polynomial": (optim.polynomial_schedule(1.0, 0.0, 2, 10), lambda n: (1 - min(n, 10) / 10) ** 2),
    "exponential": (optim.exponential_decay(1.0, 4, 0.5), lambda n: 0.5 ** (n / 4)),
    "staircase": (optim.exponential_decay(1.0, 4, 0.5, 1, True, 0.3), lambda n: max(0.3, 0.5 ** (max(n - 1, 0) // 4))),
    "cosine": (optim.cosine_decay_schedule(2.0, 10, 0.1), lambda n: cosine(n, 2.0, 10, 0.1)),
    "warmup": (
        optim.warmup_cosine_decay_schedule(0.1, 1.0, 4, 12, 0.2),
        lambda n: 0.1 + 0.9 * n / 4 if n < 4 else cosine(n - 4, 1.0, 8, 0.2),
    ),
    "inverse root": (optim.inverse_sqrt_schedule(1.0, 4), lambda n: min((n + 1) / 4, math.sqrt(4 / (n + 1)))),
    "piecewise": (optim.piecewise_constant_schedule(1.0, {9: 0.1, 3: 0.5}), lambda n: 1.0 if n < 3 else 0.5 if n < 9 else 0.05),
    "joined": (
        optim.join_schedules((lambda n: n, lambda n: 10.0 * n, lambda n: -n), (3, 5)),
        lambda n: n if n < 3 else 10.0 * (n - 3) if n < 5 else -(n - 5),
    ),
}
for name, (schedule, formula) in SCHEDULES.items():
    staged = stage(lambda n: schedule(n))
    values = [schedule(n) for n in range(15)]
    assert all(abs(a - formula(n)) < 1e-12 for n, a in enumerate(values)), (name, values)
    assert values == [staged(n) for n in range(15)], name
    print(name, [round(it, 4) for it in values[::2]])


def scheduled(p, opt, steps):
    for _ in range(steps):
        opt.update(p, {"w": np.ones(1)})
    return opt.rate


for run in (scheduled, stage(scheduled)):
    p = {"w": np.zeros(1)}
    opt = optim.SGD(p, optim.warmup_cosine_decay_schedule(0.1, 1.0, 4, 12, 0.2))
    print([round(run(p, opt, steps), 6) for steps in (1, 2, 6)], p["w"].round(6))
for call in (lambda: optim.linear_schedule(1.0, 0.0, 0), lambda: optim.join_schedules((abs, abs), (1, 2))):
    try:
        print(call())
    except ValueError as error:
        print(error)


# Averages.
class Net:
    buffers = ("seen",)

    def __init__(self):
        self.w = self.tied = np.zeros(2)
        self.seen, self.ids, self.size = np.zeros(2), np.zeros(2, dtype="int64"), 2


def follow(ema, net, steps):
    for n in range(steps):
        net.w += 1.0
        net.seen[...] = net.w * 10.0
        net.ids[...] = n
        ema.update(net)


for warmup in (False, True):
    for run in (follow, stage(follow)):
        net = Net()
        ema = optim.EMA(net, 0.9, warmup=warmup)
        run(ema, net, 3)
        run(ema, net, 2)
        mean = ema.average
        wanted = 0.0
        for n in range(5):
            decay = min(0.9, (1 + n) / (10 + n)) if warmup else 0.9
            wanted = decay * wanted + (1 - decay) * (n + 1)
        assert all(abs(v - wanted) < 1e-12 for v in mean.w.tolist()), (mean.w, wanted)
        print(mean.w.round(6).tolist(), mean.tied is mean.w, mean.seen.tolist(), mean.ids.tolist(), mean.size, net.w.tolist())
