# Forward mode by arrays: against reverse mode and against differences; Jacobians and Hessians by arrays.
#@ reference snekpy: differences have fewer digits
import math

import snekpy.numpy as np
from snekpy import StagingError, grad, hessian, jacfwd, jacrev, jvp, linearize, stage, vjp

x = np.array([[0.3, -0.7, 1.2], [2.0, 0.5, -1.5]])
w = np.array([[0.1, 0.2], [-0.3, 0.4], [0.5, -0.6]])
b = np.array([0.05, -0.15])


def loop(x, w, b):
    h, n = x @ w, 0
    while (h * h).sum() < 50.0:
        h = h * 1.4 + b
        n += 1
    return np.tanh(h * 0.1)


def rows(x, w, b):
    total, parts = 0.0, []
    for i in range(x.shape[0]):
        parts.append(np.sin(x[i] @ w + b))
        total = total + float(parts[-1].sum())
    return np.stack(parts) * total


def taken(x, w, b):
    return x[:, [2, 0, 0]] * w.T[:, [0, 1, 1]]


fs = {
    "matmul": lambda x, w, b: x @ w + b,
    "vecdot": lambda x, w, b: x[0] @ w[:, 0] * b,
    "elements": lambda x, w, b: np.sin(x) * np.cos(x) + np.exp(-x) / (x + 4.0) + 2.0 ** x + np.log1p(x * x),
    "powers": lambda x, w, b: x ** 3 + np.abs(x) ** 1.5 + np.sqrt(np.abs(x)) + np.square(x) + np.reciprocal(x),
    "two": lambda x, w, b: np.arctan2(x, x + 3.0) + np.hypot(x, 2.0) + np.logaddexp(x, 0.5) + np.maximum(x, w.T) - np.minimum(x, 0.1),
    "where": lambda x, w, b: np.where(x > 0, x * x, -x) + np.where(w.T > x, w.T, 3.0),
    "folds": lambda x, w, b: x.sum(axis=0) * x.max(axis=0) + x.mean() + x.min() + x.var(axis=0) + np.linalg.norm(w, axis=1),
    "scans": lambda x, w, b: x.cumsum(axis=1) * np.cumprod(w, axis=0).T,
    "products": lambda x, w, b: x.prod(axis=1) * w.prod() + np.prod(b),
    "shapes": lambda x, w, b: np.concatenate([x.T, w], axis=1).reshape(2, 6)[:, ::-1] * np.stack([w.ravel(), x.ravel()]),
    "slices": lambda x, w, b: x[:, 1:] * w[:2] + b + np.tril(x[:, :2]) + np.diag(x[:2, :2]),
    "taken": taken,
    "sorted": lambda x, w, b: np.sort(x, axis=1) * np.sort(w.T, axis=0),
    "convert": lambda x, w, b: (x.astype(np.float32) * 2).astype(np.float64) + b[0],
    "numbers": lambda x, w, b: np.asarray([float(x[0, 0]) * 2.0, math.sin(float(w[1, 1]))]) * b,
    "loop": loop,
    "rows": rows,
}
rng = np.random.default_rng(1)
tangents = tuple(rng.normal(size=it.shape) for it in (x, w, b))
for name, f in fs.items():
    value, along = jvp(f, (x, w, b), tangents)
    assert np.array_equal(value, f(x, w, b)), name
    eps = 1e-6
    moved = [f(*(p + sign * eps * t for p, t in zip((x, w, b), tangents))) for sign in (1.0, -1.0)]
    difference = (moved[0] - moved[1]) / (2.0 * eps)
    rough = 0.1 if name == "convert" else 1e-5
    near = float(np.abs(difference - along).max()) < rough
    # The cotangent of all ones: backwards and forwards give one number.
    back = vjp(f, x, w, b)[1](np.ones_like(value))
    product = sum(float((t * g).sum()) for t, g in zip(tangents, back))
    same = abs(product - float(along.sum())) <= (1e-4 if name == "convert" else 1e-10) * (1.0 + abs(product))
    forwards = jacfwd(f, argnums=(0, 2))(x, w, b)
    backwards = jacrev(f, argnums=(0, 2))(x, w, b)
    shapes = [it.shape for it in forwards] == [value.shape + x.shape, value.shape + b.shape]
    agree = all(np.allclose(p, q, rtol=1e-6 if name == "convert" else 1e-9, atol=1e-9) for p, q in zip(forwards, backwards))
    print(name, near, same, shapes, agree)


def energy(v):
    return (v ** 3).sum() * v[0] + np.exp(v[1] * v[2])


v = np.array([0.5, -1.0, 2.0])
h = hessian(energy)(v)
print(h.shape, np.allclose(h, h.T, rtol=1e-12, atol=1e-12))
print(np.allclose(h @ v, grad(lambda u: grad(energy)(u) @ v)(v), rtol=1e-12, atol=1e-12))
print(np.allclose(jvp(grad(energy), (v,), (v,))[1], h @ v, rtol=1e-12, atol=1e-12))
p = {"w": v, "b": 1.5}
print({k: {j: getattr(it, "shape", it) for j, it in row.items()} for k, row in hessian(lambda p: (p["w"] ** 2).sum() * p["b"])(p).items()})
print(jacfwd(lambda p: {"s": p["w"] * p["b"], "t": p["b"] ** 2})(p))
print(jacrev(lambda p: (p["w"] * p["b"], 3.0))(p))
print(jacfwd(lambda t: np.asarray([1.0, 2.0]) * t)(2.0))
print(jacfwd(lambda u, n: (u * 2.0, n), has_aux=True)(v, 3), jacrev(lambda u: (u[:1] * 2.0, "aux"), has_aux=True)(v))

value, linear = linearize(lambda u, s: np.sin(u) * s, v, 2.0)
print(value, linear(np.ones(3), 0.0), linear(np.zeros(3), 1.0))
value, back, aux = vjp(lambda u: ((u * u).sum(), u.shape), v, has_aux=True)
print(value, back(np.asarray(2.0)), aux)
value, back = vjp(lambda u, s: (u * s, {"n": u.sum()}), v, 2.0)
print(value, back((np.ones(3), {"n": np.asarray(1.0)})))
v2 = v.copy()
value, back = vjp(lambda u: u * u, v2)
v2[0] = 100.0
print(back(np.ones(3)), (v2 * 1.0)[0])


def outcome(name, call):
    try:
        print(name, call())
    except (TypeError, StagingError) as error:
        print(name, type(error).__name__, str(error).splitlines()[0])


def prints(u):
    print("called")
    return u * 2.0


outcome("tangent", lambda: jvp(lambda u: u, (v,), (np.ones(2),)))
outcome("tangent", lambda: jvp(lambda u: u, (v,), (1.0,)))
outcome("cotangent", lambda: vjp(lambda u: u, v)[1](np.ones(2)))
outcome("cotangent", lambda: vjp(lambda u: (u, u), v)[1](np.ones(3)))
outcome("dtype", lambda: vjp(lambda u: u, v)[1](np.ones(3, dtype=np.float32)))
outcome("effects", lambda: jacfwd(prints)(v))
outcome("effects", lambda: vjp(prints, v))
outcome("once", lambda: jvp(prints, (v,), (v,))[1])
outcome("result", lambda: jacfwd(lambda u: "text")(v))

# Results that are arrays, by floats.
print(jacrev(lambda t: np.asarray([1.0, 2.0]) * t)(2.0), jacrev(lambda t: (t, v * t))(2.0))
value, back = vjp(lambda t: v * t, 2.0)
print(value, back(np.ones(3)), linearize(lambda t: v * t, 2.0)[1](10.0))


# `jvp` in what is differentiated, and in staged code.
def product(u, t):
    return jvp(lambda u: (u ** 3).sum() * u[0], (u,), (t,))[1]


@stage
def along(u, n):
    total = 0.0
    for i in range(n):
        value, tangent = jvp(energy, (u * (i + 1.0),), (u,))
        total += float(tangent) + float(value)
    return total


cubic = lambda u: (u ** 3).sum() * u[0]
print(np.allclose(grad(product)(v, v * 2.0), hessian(cubic)(v) @ (v * 2.0), rtol=1e-12, atol=1e-12))
expected = sum(float(jvp(energy, (v * (i + 1.0),), (v,))[1]) + float(energy(v * (i + 1.0))) for i in range(4))
print(along(v, 4) == expected, grad(lambda x: jvp(math.sin, (x,), (x,))[1])(1.0) == math.cos(1.0) - math.sin(1.0))
print(grad(lambda x: jvp(lambda y, z: (y * z, y), (x, 3.0), (1.0, x))[1][0])(2.0))

# A function keeps its derivatives: another call finds the code.
def kept(u):
    return np.sin(u)


for n in (3, 3, 4):
    vjp(kept, np.ones(n))[1](np.ones(n))
    jvp(kept, (np.ones(n),), (np.ones(n),))
print(len(kept.__snekpy_derivatives__))
