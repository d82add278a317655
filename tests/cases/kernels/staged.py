# Staged functions on arrays of a device: what they give, and where, is what the plain function gives there.
#@ reference snekpy: CPython has no devices
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import grad, stage, value_and_grad

DEVICE = "simt"
warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


def same(name, found, expected, device=DEVICE):
    if isinstance(expected, tuple):
        for part, other in zip(found, expected, strict=True):
            same(name, part, other, device)
        return
    assert found.device == expected.device == device, (name, found.device, expected.device)
    assert found.dtype == expected.dtype and found.shape == expected.shape, (name, found, expected)
    assert found.to("cpu").tobytes() == expected.to("cpu").tobytes(), (name, found.to("cpu"), expected.to("cpu"))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x):
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5)


def branches(x, n):
    total = np.zeros(x.shape, dtype=x.dtype)
    for i in range(n):
        if i % 3 == 0:
            continue
        total = total + x * i
        if i > 5:
            break
    return total if n > 2 else x


def views(x):
    return x[1:, ::2] + x.T[::2, 1:].T, x.reshape(2, -1)[:, 0], np.where(x > 3, x, -x)[None]


def writes(x):
    y = x.copy()
    y[1] = 5
    y[:, 1] = y[:, 2] * 2
    y[::-1, ::2] += 1
    y -= x
    return y, np.concatenate([y, x[:1]], axis=0), np.stack([x[0], y[0]])


def products(x, w):
    return x @ w, (x @ w).astype("float16") @ w.T.astype("float16"), np.stack([x, x]) @ w


def elsewhere(x):
    y = x.to("cpu") * 2
    z = y.to(DEVICE) + x
    return z, x.to(DEVICE) is x, x.device, y.device, z.device


def positions(x, at):
    return x[at], np.argmax(x, axis=1), (x > 2).any(axis=0), np.count_nonzero(x)


def x_of(dtype, shape=(4, 6)):
    count = shape[0] * shape[1]
    return (np.arange(count) * 7 % 11).reshape(shape).astype(dtype).to(DEVICE)


for dtype in ("float32", "float64", "float16", "bfloat16", "int32", "int64"):
    x = x_of(dtype)
    functions = [branches, writes] if dtype.startswith("int") else [softmax, layer_norm, branches, writes]
    for function in functions:
        args = (x, 9) if function is branches else (x,)
        staged = stage(function, strict=True)
        for _ in range(2):
            same(function.__name__, staged(*args), function(*args))
x, w = x_of("float32"), x_of("float32", (6, 3))
same("views", stage(views, strict=True)(x_of("float64", (4, 4))), views(x_of("float64", (4, 4))))
same("products", stage(products, strict=True)(x, w), products(x, w))
same("positions", stage(positions, strict=True)(x, np.asarray([3, 0])), positions(x, np.asarray([3, 0])))
found, expected = stage(elsewhere, strict=True)(x), elsewhere(x)
same("elsewhere", found[0], expected[0])
print(found[1:], expected[1:])

# One function for both kinds of memory.
f = stage(softmax, strict=True)
same("here", f(x.to("cpu")), softmax(x.to("cpu")), "cpu")
same("there", f(x), softmax(x))


# What is written to is what everybody sees.
@stage(strict=True)
def changes(x, row):
    x[0] = row
    x *= 2
    return x


y = x.copy()
print(changes(y, w[:, 0]) is y, y[0].to("cpu"), y[1].to("cpu"))


# Errors have their line, also those of what is done later.
@stage
def fails(x, at):
    try:
        return x[at] * 2
    except IndexError as error:
        return type(error).__name__, error.__traceback__.tb_lineno


print(fails(x, np.asarray([9])), fails(x, np.asarray([1]))[0].shape)
try:
    stage(lambda x, y: x + y)(x, w)
except ValueError as error:
    print(error)


# A copy that nobody asked for is told at its line, and the call goes on in compiled code.
@stage
def reads(x, n):
    total = 0.0
    for _ in range(n):
        x = x * 0.5
        total += float(x.sum())
    return total


with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print(reads(np.arange(4.0).to(DEVICE), 5), {(it.lineno, it.category.__name__) for it in seen}, len(seen))
try:
    reads(np.arange(4.0).to(DEVICE), 5)
except snekpy.ImplicitCopyWarning as warning:
    print(warning)


# Gradients, and a training loop that never leaves the device.
def loss(params, x, y):
    w, b = params
    hidden = np.maximum(x @ w + b, 0.0)
    return ((hidden[:, 0] - y) ** 2).mean() + (w[1:] * w[:-1]).sum() * 0.01


def train(params, x, y, steps):
    for _ in range(steps):
        g = grad(loss)(params, x, y)
        params = tuple(p - 0.01 * q for p, q in zip(params, g))
    return params


params = (np.ones((6, 3), dtype="float64") * 0.1, np.zeros(3))
data, target = np.sin(np.arange(24.0)).reshape(4, 6), np.arange(4.0)
there = tuple(it.to(DEVICE) for it in params)
learnt = stage(train)(there, data.to(DEVICE), target.to(DEVICE), 20)
plain = train(there, data.to(DEVICE), target.to(DEVICE), 20)
same("learnt", learnt, plain)
cpu = train(params, data, target, 20)
print([it.device for it in learnt], all(np.allclose(a.to("cpu"), b, rtol=1e-10) for a, b in zip(learnt, cpu)))
value, g = value_and_grad(lambda x: np.log(np.exp(x).sum()))(np.arange(4.0).to(DEVICE))
print(value.device, g.device, np.allclose(g.to("cpu"), softmax(np.arange(4.0))))
# A gradient lies where its argument lies.
g = grad(lambda w, x: (w * x).sum(), argnums=(0, 1))(np.ones(3), np.arange(3.0).to(DEVICE))
print(g[0].device, g[0], g[1].device, g[1].to("cpu"))
