"""Activations against `math`, their gradients against differences, also far out; initialisers by what they spread."""
#@ reference snekpy: CPython has no `snekpy.nn`
import math

import snekpy.numpy as np
from snekpy import grad, nn, random, stage

POINTS = [-700.0, -40.0, -6.5, -4.2, -2.9, -1.7, -0.4, -1e-3, 0.0, 1e-3, 0.3, 0.47, 1.1, 2.9, 3.2, 5.8, 7.0, 40.0, 700.0]
x = np.array(POINTS)


def sigmoid(v):
    return 1 / (1 + math.exp(-v)) if v > -700 else math.exp(v)


def softplus(v):
    return max(v, 0.0) + math.log1p(math.exp(-abs(v)))


def tanh_gelu(v):
    return 0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))


FORMULAS = {
    "relu": lambda v: v if v > 0 else 0.0,
    "relu6": lambda v: min(max(v, 0.0), 6.0),
    "leaky_relu": lambda v: v if v > 0 else 0.01 * v,
    "elu": lambda v: v if v > 0 else math.expm1(v),
    "celu": lambda v: v if v > 0 else math.expm1(v),
    "selu": lambda v: 1.0507009873554804934 * (v if v > 0 else 1.6732632423543772848 * math.expm1(v)),
    "sigmoid": sigmoid,
    "log_sigmoid": lambda v: -softplus(-v),
    "softplus": softplus,
    "squareplus": lambda v: 0.5 * (v + math.hypot(v, 2.0)),
    "silu": lambda v: v * sigmoid(v),
    "swish": lambda v: v * sigmoid(v),
    "mish": lambda v: v * math.tanh(softplus(v)),
    "gelu": tanh_gelu,
    "hard_sigmoid": lambda v: min(max(v + 3, 0), 6) / 6,
    "hardswish": lambda v: v * min(max(v + 3, 0), 6) / 6,
    "hard_tanh": lambda v: min(max(v, -1.0), 1.0),
    "softsign": lambda v: v / (1 + abs(v)),
    "tanh": math.tanh,
    "tanhshrink": lambda v: v - math.tanh(v),
    "identity": lambda v: v,
}


def near(name, got, wanted, within):
    for v, a, b in zip(POINTS, got, wanted):
        assert abs(a - b) <= within * max(1.0, abs(b)), (name, v, a, b)


def check(name, f, formula):
    y = f(x)
    near(name, y.tolist(), [formula(v) for v in POINTS], 1e-14)
    staged = stage(lambda x: f(x))
    assert y.tolist() == staged(x).tolist() and y.dtype == x.dtype, name
    assert f(x.astype("float32")).dtype.name == "float32", name
    total = lambda x: f(x).sum()
    slopes = grad(total)(x)
    assert slopes.tolist() == stage(lambda x: grad(total)(x))(x).tolist(), name
    corners = {"relu": (0.0,), "relu6": (0.0, 6.0)}.get(name, (0.0,) if name in ("leaky_relu", "selu") else ())
    for v, slope in zip(POINTS, slopes.tolist()):
        step = 1e-5 * max(1.0, abs(v))
        if v not in corners and abs(v) > 2 * step:
            wanted = (formula(v + step) - formula(v - step)) / (2 * step)
            assert abs(slope - wanted) <= 1e-6 * max(1.0, abs(wanted)), (name, v, slope, wanted)
    print(name, [round(it, 6) for it in y.tolist()[4:14]], slopes[8].round(6))


for name, formula in FORMULAS.items():
    check(name, getattr(nn, name), formula)
check("gelu exactly", lambda x: nn.gelu(x, approximate=False), lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2))))
check("elu of 2", lambda x: nn.elu(x, 2.0), lambda v: v if v > 0 else 2 * math.expm1(v))
check("celu of 2", lambda x: nn.celu(x, 2.0), lambda v: v if v > 0 else 2 * math.expm1(v / 2))

# Shares of rows.
rows = [[1.0, 2.0, -1.0], [800.0, 0.0, 790.0], [-5.0, -5.0, -5.0]]
z = np.array(rows)
for row, shares, least, logs, whole in zip(rows, nn.softmax(z), nn.softmin(z), nn.log_softmax(z), nn.logsumexp(z)):
    log = max(row) + math.log(sum(math.exp(v - max(row)) for v in row))
    assert abs(float(whole) - log) < 1e-12 * abs(log)
    for v, share, small, of_log in zip(row, shares.tolist(), least.tolist(), logs.tolist()):
        assert abs(share - math.exp(v - log)) < 1e-12 and abs(of_log - (v - log)) < 1e-12
        assert abs(small - math.exp(-v) / sum(math.exp(-it) for it in row)) < 1e-12 if max(row) < 700 else True
print(nn.softmax(z, axis=0).sum(axis=0), nn.logsumexp(z, axis=0, keepdims=True).shape)
print(nn.logsumexp(np.array([-math.inf, -math.inf])), nn.logsumexp(np.array([math.inf, 1.0])))
print(nn.one_hot(np.array([0, 2, 3, -1]), 3).tolist(), nn.one_hot(np.array([[1]]), 2, dtype="float64").shape)
print(nn.glu(np.array([1.0, 2.0, 0.0, 0.0])), nn.glu(np.ones((2, 3)), axis=0).shape, nn.standardize(z[0]).round(6))
print(nn.prelu(np.array([-1.0, 2.0]), np.array([0.5, 0.25])))
try:
    nn.glu(np.ones(3))
except ValueError as error:
    print(error)

# What parameters begin with: how far they spread, and where that ends.
key = random.key(3)
shape, deep = (200, 300), (3, 3, 50, 40)
for name, spread, end in (
    ("he_normal", math.sqrt(2 / 200), 2 / 0.87962566103423978), ("he_uniform", math.sqrt(2 / 200), math.sqrt(3)),
    ("glorot_normal", math.sqrt(2 / 500), 2 / 0.87962566103423978), ("xavier_uniform", math.sqrt(2 / 500), math.sqrt(3)),
    ("lecun_normal", math.sqrt(1 / 200), 2 / 0.87962566103423978), ("lecun_uniform", math.sqrt(1 / 200), math.sqrt(3)),
):
    w = getattr(nn.initializers, name)()(key, shape)
    assert w.shape == shape and w.dtype.name == "float32"
    assert abs(float(w.std()) / spread - 1) < 0.01 and abs(float(w.mean())) < 0.01 * spread * 3, name
    most = float(np.abs(w).max()) / (spread * end)
    assert 0.99 < most < 1.0001, (name, most)
w = nn.initializers.kaiming_normal()(key, deep)
assert abs(float(w.std()) / math.sqrt(2 / (9 * 50)) - 1) < 0.02
w = nn.initializers.variance_scaling(3.0, "fan_out", "normal")(key, deep)
assert abs(float(w.std()) / math.sqrt(3 / (9 * 40)) - 1) < 0.02
for shape in ((4, 6), (6, 4), (2, 3, 4)):
    w = nn.initializers.orthogonal(2.0)(key, shape, "float64").reshape(-1, shape[-1])
    product = w @ w.T if w.shape[0] < w.shape[1] else w.T @ w
    assert float(np.abs(product - 4.0 * np.eye(len(product))).max()) < 1e-12, shape
print(nn.initializers.constant(0.5)(key, (2,)), nn.initializers.zeros(key, (2,)), nn.initializers.ones(key, (1,), "float64"))
print(nn.initializers.normal(2.0)(key, (5000,)).std().round(1), nn.initializers.truncated_normal(1.0)(key, (5000,)).max() <= 2)
print(0 <= nn.initializers.uniform(3.0)(key, (5000,)).min(), nn.initializers.uniform(3.0)(key, (5000,)).max().round(1))
for call in (
    lambda: nn.initializers.he_normal()(key, (3,)),
    lambda: nn.initializers.orthogonal()(key, (3,)),
    lambda: nn.initializers.variance_scaling(1.0, "fan", "normal"),
    lambda: nn.initializers.variance_scaling(1.0, "fan_in", "poisson"),
):
    try:
        print(call())
    except ValueError as error:
        print(error)
