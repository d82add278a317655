"""Sizes that vary, of several axes at once, and ints in models that are sizes."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import grad, stage, value_and_grad


def few(name, staged):
    most = len(staged.stats()["specialisations"])
    print(name, "few" if most <= 3 else f"{most} specialisations")


@stage
def total(x):
    return x.sum() + x.mean()


@stage
def rows(x, w):
    return (np.tanh(x.reshape(-1, x.shape[-1]) @ w)).mean(axis=0).sum()


for k in range(2, 8):
    x = np.ones((k, k + 1, k + 2)) * k
    print(float(total(x)), round(float(rows(x, np.ones((k + 2, 3)))), 6))
few("total", total)
few("rows", rows)


@stage
def four(x):
    return x.sum(axis=(1, 3)).mean(), x.size, x.reshape(-1).shape


for k in range(2, 7):
    print(four(np.ones((k, 2 * k, k + 1, 3))))
few("four", four)


class Attention:
    def __init__(self, d, heads):
        self.heads, self.d = heads, d
        self.wq = np.linspace(-1, 1, d * d).reshape(d, d)
        self.name = "attention"

    def __call__(self, x):
        n, d = x.shape
        each = d // self.heads
        q = (x @ self.wq).reshape(n, self.heads, each).transpose(1, 0, 2)
        out = []
        for h in range(self.heads):
            a, b = h * each, (h + 1) * each
            out.append(x[:, a:b] @ q[h].T)
        return sum(out).sum() + q.sum()


@stage
def apply(model, x):
    return model(x)


@stage
def slope(model, x):
    value, g = value_and_grad(apply)(model, x)
    model.wq = model.wq - 0.1 * g.wq
    return value


for heads in (2, 2, 4, 2):
    model = Attention(4, heads)
    x = np.linspace(0, 1, 12).reshape(3, 4)
    v, g = value_and_grad(apply)(model, x)
    print(heads, round(float(apply(model, x)), 6), round(float(v), 6), g.wq.round(6).tolist()[0], g.heads, g.name)
    print(round(float(slope(model, x)), 6), model.wq.round(6).tolist()[0])
few("apply", apply)


def zeros(w, n):
    y = np.zeros(n)
    return (y + w).sum()


for n in (3, 3, 5):
    print(float(stage(zeros)(2.0, n)), float(grad(zeros)(2.0, n)))


# An int of a model that changes, as a counter does.
class Counter:
    def __init__(self, w):
        self.w, self.t = w, 0


@stage
def tick(c, x):
    c.t += 1
    c.w = c.w + x / c.t
    return c.w.sum()


c = Counter(np.zeros(2))
print([round(float(tick(c, 1.0)), 6) for _ in range(5)], c.t)
for k in range(5):
    d = Counter(np.zeros(2))
    d.t = k
    print(round(float(tick(d, 1.0)), 6), d.t, end=" ")
print()
few("tick", tick)
