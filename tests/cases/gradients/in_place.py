"""Gradients of loops that fill arrays, read rows of tables, and add up products: against differences."""
#@ reference snekpy: there is no snekpy.numpy there
import snekpy.numpy as np
from snekpy import grad, stage, vjp


def numeric(f, args, k, eps=1e-6):
    x = args[k]
    g = np.zeros_like(x)
    flat, gf = x.reshape(-1), g.reshape(-1)
    for i in range(x.size):
        old = flat[i].item()
        flat[i] = old + eps
        a = float(f(*args))
        flat[i] = old - eps
        b = float(f(*args))
        flat[i] = old
        gf[i] = (a - b) / (2 * eps)
    return g


def filled(w, h):
    y = np.zeros((70, 3))
    for t in range(70):
        h = np.tanh(h * w)
        y[t] = h
    return (y * y).sum()


def filled_twice(w, h):
    y = np.ones((6, 3))
    for t in range(40):
        y[t % 6] = np.tanh(y[(t + 1) % 6] * w + h)
    return (y * y * y).sum()


def numbers(w, h):
    y = np.zeros(50)
    y[0] = w[0]
    for t in range(1, 50):
        y[t] = np.tanh(y[t - 1] * w[1] + h[0])
    return (y * y).sum()


def embedded(w, h):
    total = 0.0
    for t in range(40):
        ids = np.array([t % 2, (t * 7) % 3, t % 2])
        total = total + (w[ids] * h[ids] * (t + 1)).sum()
    return total


def rows(w, h):
    total = 0.0
    for t in range(40):
        total = total + np.tanh(w[t % 3] * h[(t + 1) % 3])
    return total


def weights(w, h):
    m = w.reshape(3, 1) * h
    x = h.reshape(1, 3)
    for _ in range(40):
        x = np.tanh(x @ m + x)
    return (x * x).sum()


def softmax(w, h):
    z = np.stack([w * 2.0, w * h, h])
    z = z - z.max(axis=1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    e = np.exp(z)
    p = p + e / e.sum(axis=1)[:, None]
    return (p[:, 0] * p[:, 1]).sum()


def log_softmax(w, h):
    z = w * h
    z = z - z.max()
    return (z - np.log(np.exp(z).sum()))[1] * 2.0


def log_sum(w, h):
    z = w + h * h
    m = z.max()
    return m + np.log(np.exp(z - m).sum())


def shifted(w, h):
    z = w * h
    s = z - z.max()
    return np.exp(s).sum() + s[0]


def of_another_row(w, h):
    z = w[:, None] * np.stack([h, h * h, w])
    s = z - z.max(axis=1, keepdims=True)
    e = np.exp(s)
    across = (e / e.sum(axis=1))[0, 1] + (s - np.log(e.sum(axis=1)))[1, 2]
    m = z.max(axis=1, keepdims=True)
    return across + (m + np.log(np.exp(z - m).sum(axis=1)))[0, 1] * 2.0


def in_its_place(w, h):
    z = w[:, None] * np.stack([h, h * h, w])
    m = z.max(axis=1)
    e = np.exp(z - m[:, None])
    s = e.sum(axis=1)
    return ((m + np.log(s)) * h).sum() + (e / s[:, None])[0, 1] + (e / s.reshape(3, 1))[1].sum()


def one_row(w, h):
    x = w.reshape(1, 3)[0] * h[:, None][:, 0]
    return (x[None, :] @ h.reshape(3, 1))[0, 0] ** 2


w, h = np.array([0.5, -0.8, 1.1]), np.array([0.9, 0.4, -0.3])
for f in (filled, filled_twice, numbers, embedded, rows, weights, softmax, log_softmax, log_sum, shifted, of_another_row, in_its_place, one_row):
    for k in (0, 1):
        found, staged = grad(f, argnums=k)(w, h), stage(lambda w, h: grad(f, argnums=k)(w, h))(w, h)
        wanted = numeric(f, (w.copy(), h.copy()), k)
        close = bool((np.abs(found - wanted) < 1e-5 * (1.0 + np.abs(wanted))).all())
        print(f.__name__, k, close, bool((np.array(found) == np.array(staged)).all()))


def both(x, y):
    return (x + y).sum()


# A derivative is an array that nobody else has.
for derivative in (grad(both, argnums=(0, 1)), stage(lambda x, y: grad(both, argnums=(0, 1))(x, y))):
    of_w, of_h = derivative(w, h)
    of_w[0] = 5.0
    print(of_w, of_h, w, h)
of_w, of_h = grad(lambda x, y: (x * 2.0).sum(), argnums=(0, 1))(w, h)
of_h[1] = 7.0
print(of_w, of_h)
_, back = vjp(lambda x, y: x + y, w, h)
given = np.ones(3)
of_w, of_h = back(given)
of_w[0] = 5.0
print(of_w, of_h, given)
