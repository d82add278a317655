"""Layers against loops over floats, and their gradients against differences, plainly and staged."""
#@ reference snekpy: CPython has no `snekpy.nn`
import math

import snekpy.numpy as np
from snekpy import nn, random, stage, tree, value_and_grad

KEY = random.key(7)


def some(seed, *shape):
    return random.normal(random.fold_in(KEY, seed), shape, "float64")


def flat(it):
    if isinstance(it, np.ndarray):
        it = it.tolist()
    return [x for part in it for x in flat(part)] if isinstance(it, list) else [it]


def same(name, got, wanted, within=1e-9):
    got, wanted = flat(got), flat(wanted)
    assert len(got) == len(wanted), (name, len(got), len(wanted))
    off = max(abs(a - b) for a, b in zip(got, wanted))
    assert off < within, (name, off)


def squares(model, x):
    y = model(x)
    return (y * np.cos(np.arange(float(y.size))).reshape(y.shape)).sum() + (y * y).mean()


@stage
def slopes(model, x):
    return value_and_grad(squares)(model, x)


def by_differences(model, x, step=1e-6):
    """The derivative by each number of each parameter."""
    for name, p in nn.parameters(model).items():
        flat_p = p.reshape(-1)
        for at in range(p.size):
            before = float(flat_p[at])
            flat_p[at] = before + step
            up = float(squares(model, x))
            flat_p[at] = before - step
            down = float(squares(model, x))
            flat_p[at] = before
            yield (up - down) / (2 * step)


def check(name, model, x, wanted):
    y = model(x)
    same(name, y, wanted)
    same(name, stage(lambda model, x: model(x))(model, x), wanted)
    plain, g = value_and_grad(squares)(model, x)
    value, h = slopes(model, x)
    assert float(plain) == float(value), name
    trained = nn.parameters(g)
    same(name, [trained[it].tolist() for it in nn.parameters(model)], list(by_differences(model, x)), 1e-5)
    assert all(bool((a == b).all()) for a, b in zip(trained.values(), nn.parameters(h).values())), name
    print(name, y.shape, {it: p.shape for it, p in nn.parameters(model).items()}, round(float(value), 9))


wide = {"dtype": "float64"}
x = some(0, 3, 4)
rows = x.tolist()

# Linear maps.
layer = nn.Linear(4, 2, key=KEY, **wide)
w, b = layer.weight.tolist(), layer.bias.tolist()
check("Linear", layer, x, [[sum(r[i] * w[i][j] for i in range(4)) + b[j] for j in range(2)] for r in rows])
layer = nn.Linear(4, 2, bias=False, key=KEY, init=nn.initializers.glorot_normal(), **wide)
w = layer.weight.tolist()
check("Linear without bias", layer, x, [[sum(r[i] * w[i][j] for i in range(4)) for j in range(2)] for r in rows])

# A table.
layer = nn.Embedding(5, 3, key=KEY, **wide)
table = layer.weight.tolist()
check("Embedding", layer, np.array([[0, 4], [2, 2]]), [[table[0], table[4]], [table[2], table[2]]])


# Norms over the last axis.
def normed(row, eps, centred=True):
    mean = sum(row) / len(row) if centred else 0.0
    var = sum((it - mean) ** 2 for it in row) / len(row)
    return [(it - mean) / math.sqrt(var + eps) for it in row]


layer = nn.LayerNorm(4, **wide)
layer.weight[...], layer.bias[...] = some(1, 4), some(2, 4)
w, b = layer.weight.tolist(), layer.bias.tolist()
check("LayerNorm", layer, x, [[it * w[i] + b[i] for i, it in enumerate(normed(r, 1e-5))] for r in rows])
layer = nn.RMSNorm(4, **wide)
layer.weight[...] = some(3, 4)
w = layer.weight.tolist()
check("RMSNorm", layer, x, [[it * w[i] for i, it in enumerate(normed(r, 1e-6, False))] for r in rows])

layer = nn.GroupNorm(2, 4, **wide)
layer.weight[...], layer.bias[...] = some(4, 4), some(5, 4)
w, b = layer.weight.tolist(), layer.bias.tolist()
images = some(6, 2, 4, 2, 3)
wanted = []
for image in images.tolist():
    for group in range(2):
        all_of = normed([it for c in range(2) for row in image[2 * group + c] for it in row], 1e-5)
        wanted.append([it * w[2 * group + n // 6] + b[2 * group + n // 6] for n, it in enumerate(all_of)])
check("GroupNorm", layer, images, wanted)

# Evaluated, the running statistics are taken.
layer = nn.BatchNorm(4, **wide)
layer.weight[...], layer.bias[...], layer.running_mean[...], layer.running_var[...] = some(7, 4), some(8, 4), 0.5, 2.0
w, b = layer.weight.tolist(), layer.bias.tolist()
check("BatchNorm", layer, x, [[(it - 0.5) / math.sqrt(2.0 + 1e-5) * w[i] + b[i] for i, it in enumerate(r)] for r in rows])

# Filters over a series, and over an image.
layer = nn.Conv1d(2, 4, 3, stride=2, padding=1, groups=2, key=KEY, **wide)
series = some(9, 2, 2, 6)
w, b = layer.weight.tolist(), layer.bias.tolist()
wanted = [
    [
        [b[f] + sum(w[f][0][k] * one[f // 2][t + k - 1] for k in range(3) if 0 <= t + k - 1 < 6) for t in range(0, 6, 2)]
        for f in range(4)
    ]
    for one in series.tolist()
]
check("Conv1d", layer, series, wanted)
layer = nn.Conv2d(2, 3, (3, 1), padding="same", key=KEY, init=nn.initializers.he_uniform(), **wide)
w = layer.weight.tolist()
image = some(10, 1, 2, 4, 3)
plane = image.tolist()[0]
wanted = [
    [
        [sum(w[f][c][k][0] * plane[c][i + k - 1][j] for c in range(2) for k in range(3) if 0 <= i + k - 1 < 4) for j in range(3)]
        for i in range(4)
    ]
    for f in range(3)
]
check("Conv2d", layer, image, [wanted])

# Windows.
image = some(11, 2, 1, 5, 4)


def windows(plane, size, stride, padding, join):
    height, width = len(plane), len(plane[0])
    found = []
    for i in range(-padding, height + padding - size[0] + 1, stride[0]):
        line = []
        for j in range(-padding, width + padding - size[1] + 1, stride[1]):
            inside = [(p, q) for p in range(i, i + size[0]) for q in range(j, j + size[1])]
            line.append(join([plane[p][q] if 0 <= p < height and 0 <= q < width else None for p, q in inside]))
        found.append(line)
    return found


def greatest(them):
    return max(it for it in them if it is not None)


def mean(them):
    return sum(it or 0.0 for it in them) / len(them)


for name, layer, join in (("MaxPool2d", nn.MaxPool2d, greatest), ("AvgPool2d", nn.AvgPool2d, mean)):
    for size, stride, padding in (((2, 2), (2, 2), 0), ((3, 2), (1, 2), 1), ((2, 3), (2, 1), 1)):
        before = nn.Conv2d(1, 1, 1, key=KEY, **wide)
        w, b = float(before.weight[0, 0, 0, 0]), float(before.bias[0])
        wanted = [windows([[it * w + b for it in line] for line in one[0]], size, stride, padding, join) for one in image.tolist()]
        check(name, nn.Sequential(before, layer(size, stride=stride, padding=padding)), image, wanted)
series = some(12, 2, 2, 7)
for name, layer, join in (("MaxPool1d", nn.MaxPool1d(3), greatest), ("AvgPool1d", nn.AvgPool1d(3, stride=2, padding=1), mean)):
    stride, padding = (3, 0) if name == "MaxPool1d" else (2, 1)
    wanted = []
    for one in series.tolist():
        for line in one:
            padded = [None] * padding + line + [None] * padding
            wanted.append([join(padded[t : t + 3]) for t in range(0, len(padded) - 2, stride)])
    same(name, layer(series), wanted)
    print(name, layer(series).shape)
same("GlobalAvgPool", nn.GlobalAvgPool()(image), [sum(it for line in one[0] for it in line) / 20 for one in image.tolist()])

# Others, and one after the other.
layer = nn.PReLU(4, **wide)
check("PReLU", layer, x, [[it if it > 0 else 0.25 * it for it in r] for r in rows])
net = nn.Sequential(nn.Flatten(), nn.Linear(4, 3, key=KEY, **wide), nn.Identity(), nn.tanh)
w, b = net[1].weight.tolist(), net[1].bias.tolist()
wanted = [[math.tanh(sum(r[i] * w[i][j] for i in range(4)) + b[j]) for j in range(3)] for r in rows]
check("Sequential", net, x.reshape(3, 2, 2), wanted)
print(len(net), len(net[1:]), type(net[1:]).__name__)

# Dropout: what stays is divided by how likely that is; the same key drops the same.
layer = nn.Dropout(0.25)
ones = np.ones((40, 50))
y = layer(ones, training=True, key=KEY)
kept = sum(1 for it in flat(y) if it != 0.0)
assert set(flat(y)) == {0.0, 1 / 0.75} and 1440 < kept < 1560, kept
assert bool((stage(lambda layer, x, key: layer(x, training=True, key=key))(layer, ones, KEY) == y).all())
assert not bool((layer(ones, training=True, key=KEY + 1) == y).all()) and layer(ones) is ones
net = nn.Sequential(nn.Dropout(0.5), nn.Dropout(0.5))
twice = sum(1 for it in flat(net(ones, training=True, key=KEY)) if it != 0.0)
assert 420 < twice < 580, twice

# What PyTorch's layers begin with: evenly within one over the root of what goes in.
layer = nn.Linear(100, 300, key=KEY)
assert 0.099 < float(layer.weight.max()) <= 0.1 and -0.1 <= float(layer.weight.min()) < -0.099
assert 0.09 < float(np.abs(layer.bias).max()) <= 0.1 and layer.weight.dtype.name == "float32"

for call in (
    lambda: nn.Linear(3, 2),
    lambda: nn.Linear(3.0, 2, key=KEY),
    lambda: nn.Linear(0, 2, key=KEY),
    lambda: nn.Linear(3, 2, key=KEY)(np.ones((2, 4))),
    lambda: nn.LayerNorm(3)(np.ones((2, 4))),
    lambda: nn.BatchNorm(3)(np.ones((2, 4))),
    lambda: nn.BatchNorm(4)(np.ones((1, 4)), training=True),
    lambda: nn.GroupNorm(2, 3),
    lambda: nn.Dropout(1.0),
    lambda: nn.Sequential(nn.Dropout())(np.ones(2), training=True),
    lambda: nn.Sequential(3),
    lambda: nn.Conv2d(4, 3, 2, padding="same", key=KEY),
    lambda: nn.Conv2d(4, 3, 2, groups=2, key=KEY),
    lambda: nn.Conv1d(4, 3, (2, 2), key=KEY),
    lambda: nn.Embedding(4, 3, key=KEY)(np.array([4])),
    lambda: nn.max_pool2d(np.ones((2, 3)), 2),
    lambda: nn.max_pool2d(np.ones((1, 1, 3, 3)), 4),
    lambda: nn.max_pool2d(np.ones((1, 1, 3, 3)), 2, padding=2),
    lambda: nn.avg_pool1d(np.ones((1, 3, 3, 3)), 2),
):
    said = []
    for run in (call, stage(call)):
        try:
            said.append(run())
        except (TypeError, ValueError, IndexError) as error:
            said.append((type(error).__name__, str(error)))
    assert said[0] == said[1], said
    print(*said[0])
