"""Recurrent nets against loops over floats, also of series of different lengths, and their gradients against differences."""
#@ reference snekpy: CPython has no `snekpy.nn`
import math

import snekpy.numpy as np
from snekpy import nn, optim, random, stage, value_and_grad

KEY = random.key(5)
STEPS, BATCH, INPUTS, HIDDEN = 4, 3, 2, 3
x = random.normal(KEY, (STEPS, BATCH, INPUTS), "float64")
lengths = np.array([4, 2, 0])
sigmoid = lambda v: 1 / (1 + math.exp(-v))


def linear(row, w, b):
    return [sum(v * w[i][j] for i, v in enumerate(row)) + b[j] for j in range(len(b))]


def rnn(cell, row, state, act=math.tanh):
    a, b = gates(cell, row, state[0])
    return [[act(p + q) for p, q in zip(a, b)]]


def lstm(cell, row, state):
    h, c = state
    a, b = gates(cell, row, h)
    all_of = [p + q for p, q in zip(a, b)]
    let_in, keep, new, out = (all_of[n * HIDDEN : (n + 1) * HIDDEN] for n in range(4))
    c = [sigmoid(f) * was + sigmoid(i) * math.tanh(g) for f, was, i, g in zip(keep, c, let_in, new)]
    return [[sigmoid(o) * math.tanh(v) for o, v in zip(out, c)], c]


def gru(cell, row, state):
    a, b = gates(cell, row, state[0])
    found = []
    for j, was in enumerate(state[0]):
        reset, keep = sigmoid(a[j] + b[j]), sigmoid(a[HIDDEN + j] + b[HIDDEN + j])
        new = math.tanh(a[2 * HIDDEN + j] + reset * b[2 * HIDDEN + j])
        found.append((1 - keep) * new + keep * was)
    return [found]


def gates(cell, row, h):
    of = {name: p.tolist() for name, p in nn.parameters(cell).items()}
    return linear(row, of["weight_ih"], of["bias_ih"]), linear(h, of["weight_hh"], of["bias_hh"])


def by_loops(step, cell, series, states, lengths):
    outputs, states = [], [list(it) for it in states]
    for t, rows in enumerate(series):
        line = []
        for n, row in enumerate(rows):
            if t < lengths[n]:
                states[n] = step(cell, row, states[n])
                line.append(states[n][0])
            else:
                line.append([0.0] * HIDDEN)
        outputs.append(line)
    return outputs, states


def flat(it):
    it = it.tolist() if isinstance(it, np.ndarray) else it
    return [v for part in it for v in flat(part)] if isinstance(it, (list, tuple)) else [it]


def same(name, got, wanted, within=1e-12):
    got, wanted = flat(got), flat(wanted)
    assert len(got) == len(wanted), (name, len(got), len(wanted))
    off = max(abs(a - b) for a, b in zip(got, wanted))
    assert off < within, (name, off)


def loss(layer, x, lengths):
    outputs, state = layer(x, lengths=lengths)
    h = state[0] if isinstance(state, tuple) else state
    return (outputs * np.arange(float(HIDDEN))).sum() + (h * h).sum()


@stage
def slopes(layer, x, lengths):
    return value_and_grad(loss)(layer, x, lengths)


def by_differences(layer, lengths, step=1e-6):
    for p in nn.parameters(layer).values():
        flat_p = p.reshape(-1)
        for at in range(p.size):
            before = float(flat_p[at])
            flat_p[at] = before + step
            up = float(loss(layer, x, lengths))
            flat_p[at] = before - step
            down = float(loss(layer, x, lengths))
            flat_p[at] = before
            yield (up - down) / (2 * step)


wide = {"key": KEY, "dtype": "float64"}
for name, layer, step in (
    ("RNN", nn.RNN(INPUTS, HIDDEN, **wide), rnn),
    ("RNN of relu", nn.RNN(INPUTS, HIDDEN, "relu", **wide), lambda *it: rnn(*it, act=lambda v: max(v, 0.0))),
    ("LSTM", nn.LSTM(INPUTS, HIDDEN, **wide), lstm),
    ("GRU", nn.GRU(INPUTS, HIDDEN, **wide), gru),
):
    count = 2 if name == "LSTM" else 1
    nothing = [[[0.0] * HIDDEN] * count] * BATCH
    run = stage(lambda layer, x, lengths: layer(x, lengths=lengths))
    for given, known in ((None, [STEPS] * BATCH), (lengths, lengths.tolist())):
        wanted, states = by_loops(step, layer.cell, x.tolist(), nothing, known)
        for outputs, state in (layer(x, lengths=given), run(layer, x, given)):
            same(name, outputs, wanted)
            parts = state if isinstance(state, tuple) else (state,)
            same(name, [[part[n].tolist() for part in parts] for n in range(BATCH)], states)
        value, g = value_and_grad(loss)(layer, x, given)
        staged, h = slopes(layer, x, given)
        assert float(value) == float(staged), name
        same(name, [it.tolist() for it in nn.parameters(g).values()], list(by_differences(layer, given)), 1e-6)
        same(name, [it.tolist() for it in nn.parameters(g).values()], [it.tolist() for it in nn.parameters(h).values()], 1e-15)
    print(name, outputs.shape, {it: p.shape for it, p in nn.parameters(layer).items()}, round(float(value), 9))
    # A series in two parts is the series.
    first, state = layer(x[:2])
    second, last = layer(x[2:], state)
    same(name, [first.tolist(), second.tolist()], layer(x)[0], 1e-15)
    cell, state = layer.cell, None
    for t in range(STEPS):
        state = cell(x[t], state)
    same(name, state[0] if isinstance(state, tuple) else state, layer(x)[0][-1], 1e-15)


# Sums of series are learned.
class Adder:
    def __init__(self, key):
        k1, k2 = random.split(key)
        self.gru, self.out = nn.GRU(1, 8, key=k1), nn.Linear(8, 1, key=k2)

    def __call__(self, x, lengths):
        return self.out(self.gru(x, lengths=lengths)[1])[:, 0]


def of_sums(model, x, lengths, wanted):
    return nn.mse_loss(model(x, lengths), wanted)


def train(model, opt, x, lengths, wanted, steps):
    for _ in range(steps):
        value, grads = value_and_grad(of_sums)(model, x, lengths, wanted)
        opt.update(model, optim.clip_by_global_norm(grads, 1.0))
    return value


series = random.uniform(KEY, (6, 16, 1))
lengths = random.randint(KEY, (16,), 1, 7)
wanted = np.where(np.expand_dims(np.arange(6), 1) < lengths, series[:, :, 0], 0).sum(axis=0)
values = []
for run in (train, stage(train)):
    model = Adder(KEY)
    opt = optim.Adam(model, 2e-2)
    values.append([float(run(model, opt, series, lengths, wanted, steps)) for steps in (1, 40)])
assert values[0] == values[1], values
print([round(it, 5) for it in values[0]])

for call in (
    lambda: nn.RNN(2, 3)(x),
    lambda: nn.RNN(2, 3, "sigmoid", key=KEY),
    lambda: nn.LSTM(0, 3, key=KEY),
    lambda: nn.LSTM(3, 3, key=KEY)(x),
    lambda: nn.GRUCell(2, 3, key=KEY)(x),
):
    said = []
    for run in (call, stage(call)):
        try:
            said.append(run())
        except (TypeError, ValueError) as error:
            said.append((type(error).__name__, str(error)))
    assert said[0] == said[1], said
    print(*said[0])
