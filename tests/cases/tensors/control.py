"""Loops, branches, recursion, containers, objects, closures and globals with tensors."""
import snekpy.numpy as np
from snekpy import stage


def show(x):
    if isinstance(x, (tuple, list)):
        return type(x)(show(it) for it in x)
    return x.tolist() if isinstance(x, np.ndarray) else x


def train(w, xs, ys, n, lr):
    total = 0.0
    for i in range(n):
        x, y = xs[i * 2:(i + 1) * 2], ys[i * 2:(i + 1) * 2]
        error = x @ w - y
        w = w - lr * (x.T @ error)
        total = total + (error * error).sum()
    return w, total


def until(x, limit):
    steps = 0
    while x.sum() < limit:
        x = x * 1.5 + 1
        steps += 1
        if steps > 100:
            break
    return x, steps


def branch(x, flag):
    if flag > 0:
        y = x * 2
    else:
        y = x - 1
    return y if (y > 0).all() else -y


def power(x, n):
    if n == 0:
        return np.eye(2)
    half = power(x, n // 2)
    return half @ half @ x if n % 2 else half @ half


def rows(x):
    total = 0.0
    out = []
    for row in x:
        total = total + row.sum()
        out.append(row * total)
    return out, np.stack(out)


def numbers(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s += float(x[i, j]) * (i + 1)
    return s, int(x[0, 0]), x[1, 1].item(), bool(x[0, 1] > 0)


def in_place(x, y):
    x += y
    x[0] = 7
    x[:, 1] *= 2
    z = x[1:]
    z[...] = z + 1
    return x, z


def aliases(x):
    y = x
    v = x[0]
    x[0, 0] = 100.0
    w = x.T
    w[1, 1] = -1.0
    return y, v, y is x


def known(d, t):
    a, (b, c) = t
    return {"sum": d["w"] + a, "other": b * c}, [a, b]


class Model:
    def __init__(self):
        self.w = np.ones((2, 2))
        self.b = np.zeros(2)
        self.steps = 0

    def __call__(self, x):
        return np.tanh(x @ self.w + self.b)

    def update(self, x, lr):
        out = self(x)
        self.w = self.w - lr * (x.T @ out)
        self.b -= lr * out.sum(axis=0)
        self.steps += 1
        return out.sum()


scale = np.asarray([1.0, 2.0])


def of_globals(x):
    return x * scale


def make(y):
    def inner(x):
        return x + y
    return inner


def handled(x, k):
    try:
        return x[k]
    except IndexError as error:
        return str(error), x.sum()
    finally:
        x[0] = -1.0


def printed(x, n):
    for i in range(n):
        x = x + i
        print("x", x, i)
    return x


def report(f, *args):
    staged = stage(f)
    for _ in range(3):
        try:
            print(f.__name__, show(staged(*args)))
        except Exception as error:
            print(f.__name__, type(error).__name__, error)


xs = np.arange(12.0).reshape((6, 2)) / 10
ys = np.arange(6.0) / 3
report(train, np.zeros(2), xs, ys, 3, 0.1)
report(until, np.asarray([1.0, 2.0]), 50.0)
report(branch, np.asarray([1.0, 2.0]), 1)
report(branch, np.asarray([1.0, 2.0]), -1)
report(power, np.asarray([[1.0, 1.0], [1.0, 0.0]]), 10)
report(rows, xs)
report(numbers, xs + 1)
x = np.ones((3, 2))
report(in_place, x, np.asarray([1.0, 2.0]))
print(x.tolist())
x = np.zeros((2, 2))
report(aliases, x)
print(x.tolist())
report(known, {"w": np.ones(2)}, (np.ones(2), (np.ones(2) * 2, 3.0)))
model = Model()
step = stage(lambda x, lr: model.update(x, lr))
for _ in range(6):
    print("step", round(step(np.ones((3, 2)), 0.1).item(), 9), model.steps)
print(model.w.tolist(), model.b.tolist())
report(of_globals, np.ones(2))
scale = np.asarray([5.0, 6.0])
report(of_globals, np.ones(2))
report(make(np.ones(2) * 3), np.zeros(2))
report(handled, np.ones(3), 1)
report(handled, np.ones(3), 5)
report(printed, np.zeros(2), 3)
for n in range(1, 6):
    report(branch, np.ones(n), n)


class Unit:
    def __radd__(self, other):
        print("radd", other.tolist())
        return 5.0

    def __getitem__(self, at):
        return at


def mixed(x, unit):
    return x * 2 + unit


report(mixed, np.ones(2), Unit())


def clipped(x):
    y = np.clip(x, None, None)
    return y is x, np.full((2,), x[0]), np.array([x[1], 3.0, x.sum()]), np.round(x, 1)


report(clipped, np.array([0.25, 0.75]))
