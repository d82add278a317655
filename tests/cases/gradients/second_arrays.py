# Second derivatives through loops that record arrays: Hessians forwards over backwards and backwards over backwards,
# training inside what is differentiated (MAML), recursion with arrays.
#@ reference snekpy: differences do not have so many digits
import snekpy.numpy as np
from snekpy import grad, hessian, jvp, stage, value_and_grad


def near(a, b, tolerance=2e-6):
    return bool((np.abs(np.asarray(a) - np.asarray(b)) <= tolerance * (1.0 + np.abs(np.asarray(b)))).all())


def differences(f, x):
    """The derivatives of what a function gives, along each element, behind its own axes."""
    columns, h = [], 1e-5
    for at in range(x.size):
        step = np.zeros(x.size)
        step[at] = h
        step = step.reshape(x.shape)
        columns.append((f(x + step) - f(x - step)) / (2.0 * h))
    return np.stack(columns, axis=-1).reshape(columns[0].shape + x.shape)


def recurrent(w, n):
    h = np.array([0.3, -0.2])
    for i in range(n):
        h = np.tanh(w @ h + 0.1 * i)
        if (h * h).sum() < 0.01:
            break
    return (h ** 2).sum()


def until(x):
    while (x * x).sum() < 20.0:
        x = x * 1.5 + np.sin(x)
    return x.sum() + (x ** 3).mean()


def tree(x, depth):
    if depth == 0:
        return np.tanh(x)
    return np.sin(tree(x * 0.7, depth - 1)) + tree(x + 0.1, depth - 1) * 0.5


def of_tree(x, depth):
    return tree(x, depth).sum()


W = np.array([[0.5, -0.4], [0.3, 0.8]])
X = np.array([0.7, -0.4])

for name, f, x, more in [
    ("recurrent", recurrent, W, (0,)), ("recurrent", recurrent, W, (4,)), ("until", until, X, ()),
    ("tree", of_tree, X, (2,)),
]:
    g = grad(f)
    expected = differences(lambda x: g(x, *more), x)
    second = hessian(f)(x, *more)
    print(name, more, near(second, expected), second.shape)
    v = np.cos(np.arange(x.size).astype(float)).reshape(x.shape)
    along = grad(lambda x: (grad(f)(x, *more) * v).sum())(x)
    axes = tuple(range(x.ndim))
    print("  backwards over backwards", near(along, (expected * v).sum(axis=tuple(it + x.ndim for it in axes))))
    print("  forwards over backwards", near(jvp(lambda x: g(x, *more), (x,), (v,))[1], along, 1e-10))


# MAML: the gradient through steps of training, whose loss is a loop over data.
def predict(p, x):
    h = np.tanh(p["w"] * x + p["b"])
    return (h * p["v"]).sum()


def loss(p, xs, ys):
    total = 0.0
    for i in range(len(xs)):
        total = total + (predict(p, xs[i]) - ys[i]) ** 2
    return total / len(xs)


def adapted(p, xs, ys, steps):
    for _ in range(steps):
        g = grad(loss)(p, xs, ys)
        p = {k: p[k] - 0.1 * g[k] for k in p}
    return p


def outer(p, xs, ys, steps):
    return loss(adapted(p, xs, ys, steps), [0.5 * x for x in xs], [y + 0.1 for y in ys])


P = {"w": np.array([0.3, -0.2, 0.5]), "b": np.array([0.1, 0.0, -0.1]), "v": np.array([1.0, 0.5, -0.7])}
XS, YS = [0.3, -0.7, 1.2], [0.1, 0.4, -0.2]
for steps in 0, 1, 3:
    found = grad(outer)(P, XS, YS, steps)
    for name in P:
        expected = differences(lambda it: np.asarray(outer({**P, name: it}, XS, YS, steps)), P[name])
        print("maml", steps, name, near(found[name], expected))


@stage
def train(p, xs, ys, n):
    for i in range(n):
        value, g = value_and_grad(outer)(p, xs, ys, 2)
        p = {k: p[k] - 0.05 * g[k] for k in p}
    return value, p


def plainly(p, xs, ys, n):
    for i in range(n):
        value, g = value_and_grad(outer)(p, xs, ys, 2)
        p = {k: p[k] - 0.05 * g[k] for k in p}
    return value, p


a, b = train(P, XS, YS, 4), plainly(P, XS, YS, 4)
print("staged", a[0] == b[0], [(a[1][k] == b[1][k]).all().item() for k in P])
