# Named tuples, and the functions of the library that give some: their parts have derivatives.
#@ reference snekpy: CPython has no snekpy.numpy here
from collections import namedtuple
from typing import NamedTuple

import snekpy.numpy as np
from snekpy import grad, jvp, stage

Pair = namedtuple("Pair", "a b")


class Point(NamedTuple):
    x: float
    y: float = 1.0

    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5


def looped(x, n):
    t = Pair(x, 1.0)
    for i in range(n):
        t = Pair(b=t.a * 0.5, a=t[1] + x * i)
        if t.a > 1.5:
            t = Pair(t.a * 0.25, t.b)
    a, b = t
    return a * b + len(t) + sum(t)


def point(x):
    p = Point(x * x)
    q = Point(x, p.x)
    return p.norm() * q.norm() + (p.x if p > q else q.y)


def swapped(x, n):
    return (Pair(x, 0.0) if n else Pair(0.0, x * 2.0)).b


def difference(f, a):
    made = np.zeros(a.shape)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            step = np.zeros(a.shape)
            step[i, j] = 1e-6
            made[i, j] = (f(a + step) - f(a - step)).item() / 2e-6
    return made


def svd(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return (abs(u) * s).sum() + (vh * vh * np.array([1.0, 2.0])).sum() * s[0]


def qr(a):
    made = np.linalg.qr(a)
    return (made.Q * a).sum() + (abs(made.R) ** 1.5).sum()


def eigh(a):
    values, vectors = np.linalg.eigh(a @ a.T)
    return (abs(vectors) * values).sum()


def slogdet(a):
    return np.linalg.slogdet(a.T @ a).logabsdet


a = np.array([[2.0, 0.5], [-0.3, 1.0], [0.4, 0.7]])
for f in svd, qr, slogdet:
    g = grad(f)(a)
    print(f.__name__, np.allclose(g, difference(f, a), atol=1e-6))
    print(bool((stage(lambda a: grad(f)(a))(a) == g).all()), bool((grad(stage(f))(a) == g).all()))
    t = np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]])
    print(abs((jvp(f, (a,), (t,))[1] - (g * t).sum()).item()) < 1e-9)
b = a[:2]
print("eigh", np.allclose(grad(eigh)(b), difference(eigh, b), atol=1e-6))
single = np.array([[2.0, 0.5], [-0.3, 1.0]], dtype=np.float32)
for f in svd, qr, eigh, slogdet:
    print(f.__name__, np.allclose(grad(f)(single), grad(f)(single.astype(np.float64)), atol=2e-3))
print([round(grad(looped)(0.7, n), 9) for n in (0, 1, 4, 9)], round(grad(point)(0.7), 9))
print([grad(swapped)(0.7, n) for n in (0, 1)])
staged = stage(looped, strict=True)
print([staged(0.7, n) == looped(0.7, n) for n in (0, 1, 4, 9)])
