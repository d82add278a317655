# Calls on a device that are begun again without their code: each beside the same call of plain Python, by bits.
#@ reference snekpy: CPython has no devices

import snekpy.numpy as np
from snekpy import stage, value_and_grad

D = "simt"


def same(a, b):
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.device == b.device and a.to("cpu").tolist() == b.to("cpu").tolist()
    return a == b


def beside(f, calls, staged=None):
    """All results are kept, and compared when the last call has ended."""
    staged = staged or stage(f)
    got, expected = [], []
    for call in calls:
        for into, function in ((expected, f), (got, staged)):
            try:
                into.append(function(*call()))
            except Exception as error:
                into.append((type(error).__name__, str(error)))
    return [same(*pair) for pair in zip(got, expected)].count(False)


def numbers(seed, *dims):
    size = 1
    for dim in dims:
        size *= dim
    return np.sin(np.arange(size) * 1.7 + seed).reshape(*dims).astype("float32").to(D)


def chain(x, y):
    return np.exp(x) * y - x.max(axis=1, keepdims=True)


print("chain", beside(chain, [lambda i=i: (numbers(i, 3, 5), numbers(i + 1, 5)) for i in range(7)]))


def loop(x, steps):
    outputs = []
    for t in range(steps):
        x = np.tanh(x @ x) + t
        outputs.append(x)
    return np.stack(outputs), x


print("loop", beside(loop, [lambda i=i: (numbers(i, 4, 4), 2 + i // 4 % 2) for i in range(16)]))


def recurs(x, w):
    h = np.zeros((x.shape[1], 3), dtype="float32", device=w.device)
    outputs = []
    for t in range(x.shape[0]):
        h = np.tanh(np.concatenate([x[t], h], axis=1) @ w)
        outputs.append(h)
    return np.stack(outputs), h


staged = stage(recurs, strict=True)
print("joined", beside(recurs, [lambda i=i: (numbers(i, 4, 2, 5), numbers(i + 1, 8, 3)) for i in range(7)], staged))
joined_again = lambda: sum(made.get("replayed", 0) for made in staged.stats()["specialisations"])
print("are begun again", joined_again() >= 4 or not staged.stats()["specialisations"])


def given_back(x, y):
    z = x + y
    return x, z, z, y[1:], (z * 2)[::2]


print("given back", beside(given_back, [lambda i=i: (numbers(i, 6), numbers(i + 2, 6)) for i in range(7)]))
a = numbers(3, 6)
replayed = lambda staged: sum(made.get("replayed", 0) for made in (staged.stats() or {}).get("specialisations", []))
print("one object", beside(given_back, [lambda: (a, a)] * 5 + [lambda: (a, numbers(4, 6))] * 5))
print("views", beside(given_back, [lambda i=i: (a[: 4 - i % 2], a[2 : 6 - i % 2]) for i in range(12)]))
f = stage(given_back)
kept = [f(a, a) for _ in range(5)]
print("is the argument", all(it[0] is a and it[1] is it[2] and it[1] is not kept[0][1] for it in kept[1:]))


def picked(x, i):
    return x[i] * 2, np.take_along_axis(x, i, axis=0)


def positions(*values):
    return np.asarray(values).to(D)


picks = [positions(0, 1), positions(1, 0), positions(1, 1), positions(0, 1), positions(0, 5), positions(-1, 0)]
print("positions", beside(picked, [lambda i=i: (numbers(1, 4), i) for i in picks * 4]))


def changed(x, y):
    z = x * 2
    z[0] = 7.0
    x[1:] = y[1:]
    return z


print("written to", beside(changed, [lambda i=i: (numbers(i, 5), numbers(i + 1, 5)) for i in range(7)]))
x, y = numbers(1, 5), numbers(2, 5)
for _ in range(4):
    changed(x, y)
plain = x.to("cpu").tolist()
x, f = numbers(1, 5), stage(changed)
for _ in range(4):
    f(x, y)
print("what was written to stays so", x.to("cpu").tolist() == plain)

weights = numbers(5, 3, 3)


def by_name(x):
    return x @ weights


g = stage(by_name)
results = []
for i in range(6):
    if i == 3:
        weights[0] = 1.0
    if i == 5:
        weights = numbers(6, 3, 3)
    x = numbers(i, 2, 3)
    results.append(same(g(x), by_name(x)))
print("known by name", results)


def loss(w, x, y):
    h = np.maximum(x @ w[0] + w[1], 0)
    logs = h - np.log(np.exp(h).sum(axis=1, keepdims=True))
    return -np.take_along_axis(logs, y[:, None], axis=1).mean()


def step(w, v, x, y):
    value, slopes = value_and_grad(loss)(w, x, y)
    v = [0.5 * v + g for v, g in zip(v, slopes)]
    return [w - 0.1 * v for w, v in zip(w, v)], v, value


def train(step):  # with new memory for its inputs in each step
    w = [numbers(0, 4, 3), numbers(1, 3)]
    v = [np.zeros((4, 3), dtype="float32").to(D), np.zeros(3, dtype="float32").to(D)]
    values = []
    for i in range(12):
        w, v, value = step(w, v, numbers(i, 5, 4), positions(*((i + j) % 3 for j in range(5))))
        values.append(value)
    return w, v, values


staged = stage(step, strict=True)
print("a step of training", same(train(staged), train(step)))
staged_is_on = bool(staged.stats()["specialisations"])
print("is begun again", replayed(staged) >= 8 or not staged_is_on)


def many(w, v, x, y, steps):
    value = 0.0
    for _ in range(steps):
        w, v, value = step(w, v, x, y)
    return w, v, value


given = lambda steps: ([numbers(0, 4, 3), numbers(1, 3)], [numbers(2, 4, 3), numbers(3, 3)], numbers(4, 5, 4), positions(0, 1, 2, 0, 1), steps)
print("many of them", beside(many, [lambda i=i: given(i % 3) for i in range(12)]))


