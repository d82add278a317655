"""Gradients by arrays in staged code: training loops are compiled with their gradients."""
import snekpy.numpy as np
from snekpy import stage, grad, value_and_grad


def loss(p, x, y):
    w1, b1, w2, b2 = p
    h = np.tanh(x @ w1 + b1)
    e = h @ w2 + b2 - y
    return (e * e).mean()

vg = value_and_grad(loss)


def train(p, x, y, n, lr):
    last = 0.0
    for i in range(n):
        last, g = vg(p, x, y)
        p = (p[0] - lr * g[0], p[1] - lr * g[1], p[2] - lr * g[2], p[3] - lr * g[3])
    return p, last

x = np.linspace(-1, 1, 40).reshape(20, 2)
y = (x[:, :1] * x[:, 1:]) + 0.5
p = (np.linspace(-1, 1, 16).reshape(2, 8), np.zeros(8), np.linspace(-0.5, 0.5, 8).reshape(8, 1), np.zeros(1))
a = train(p, x, y, 50, 0.1)
s = stage(train)
for _ in range(2):
    b = s(p, x, y, 50, 0.1)
    print(float(a[1]), float(b[1]), all((u == v).all() for u, v in zip(a[0], b[0])), type(b[1]))


def scalar(x, n):
    for i in range(n):
        x = x - 0.1 * grad2(x)
    return x
grad2 = grad(lambda x: (x - 3.0) ** 2 + x)
s2 = stage(scalar)
print(scalar(0.0, 100), s2(0.0, 100))


def bad(x, n):
    total = 0.0
    for i in range(n):
        try:
            total += inv(x)
        except ZeroDivisionError:
            total -= 1.0
        x -= 1.0
    return total
inv = grad(lambda x: 1.0 / x)
s3 = stage(bad)
print(bad(3.0, 6), s3(3.0, 6))


def dicts(p, n):
    for i in range(n):
        l, g = vd(p)
        p = {"w": p["w"] - 0.1 * g["w"], "b": p["b"] - 0.1 * g["b"]}
    return l, p
vd = value_and_grad(lambda p: ((p["w"] * 2 + p["b"] - 1.0) ** 2).sum())
s4 = stage(dicts)
q = {"w": np.ones(3), "b": np.zeros(3)}
print(dicts(q, 10)[0], s4(q, 10)[0], {k: v.tolist() for k, v in s4(q, 10)[1].items()}, {k: v.tolist() for k, v in dicts(q, 10)[1].items()})


class M:
    def __init__(self):
        self.w = np.ones((2, 2))
        self.n = 0
m = M()
gm = grad(lambda w, x: np.tanh(x @ w).sum())


@stage


def step(x):
    m.w = m.w - 0.1 * gm(m.w, x)
    m.n += 1
    return m.w.sum()
for i in range(6):
    print(float(step(np.ones((3, 2)))))
