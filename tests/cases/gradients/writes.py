# Arrays that the differentiated function makes and writes into: the gradient is that of the same function without writes.
#@ reference snekpy: differences have fewer digits
import snekpy.numpy as np
from snekpy import StagingError, grad, jvp, stage

x = np.array([0.5, -1.0, 2.0, 3.0])


def numeric(f, x, eps=1e-6):
    g = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = eps
        g[i] = (float(f(x + step)) - float(f(x - step))) / (2 * eps)
    return g


def item(x):
    y = x * 2.0
    y[0] = 7.0
    y[2] = x[1] * x[3]
    return (y * y).sum()


def slices(x):
    y = np.zeros(6)
    y[1:5] = x
    y[2:4] *= 3.0
    y[::2] += x[1:]  [:3]
    return (y ** 3).sum()


def added(x):
    y = np.sin(x)
    y += x
    y *= y
    y -= 0.5
    y /= 2.0
    return (y * x).sum()


def rows(x):
    m = np.zeros((3, 4))
    for i in range(3):
        m[i] = x * i
        m[i, 1:3] += x[:2] * x[2:]
    m[:, 0] = x[0] ** 2
    return (m @ m.T).sum() + m[1, 2]


def loop(x, like):
    out = np.zeros_like(like)
    for i in range(out.shape[0]):
        if i % 3 == 0:
            out[i] = x[i % 4] * i
        else:
            out[i] = np.tanh(out[i - 1]) + x[0]
    return (out * out).sum()


def unknown(x):
    state = x * 1.0
    n = 0
    while (state * state).sum() < 300.0:
        state[n % 4] *= 1.5
        state[0] += state[1] * 0.1
        n += 1
    return state.sum() * n


def rebound(x):
    h = x
    for i in range(5):
        h = np.tanh(h)
        h[0] = i * 0.1
        h = h * 1.5
    return (h * h).sum()


def views(x):
    y = x.copy()
    part = y[1:]
    first = part[0]
    y[1] = 10.0
    row = y.reshape(2, 2)
    part[1] = x[0] * 2.0
    return (part * part).sum() + (row * row).sum() + first * x[3]


def fancy(x):
    y = np.zeros(5)
    y[[0, 3, 3]] = x[:3]
    y[np.array([1, 2])] = x[2:] * x[0]
    return (y * y * y).sum()


def masked(x):
    y = x * x
    y[y > 2.0] = 1.0
    return (y * x).sum()


def returned(x):
    y = np.zeros(4)
    y[1] = x[0]
    return (y * y).sum(), y


def scattered(x):
    y = np.ones(4)
    y[2] = x[1] * 3.0
    y[x > 1.0] *= 2.0
    return (y * x).sum()


def copied(x):
    y = x * 1.0
    z = y.copy()
    y[0] = 3.0
    return (y * z).sum()


for f in (item, slices, added, rows, unknown, rebound, views, fancy, copied, masked):
    try:
        g = grad(f)(x)
        near = np.abs(g - numeric(f, x)).max() < 1e-5 * (1.0 + np.abs(g).max())
        t = np.array([0.3, -0.2, 0.5, 0.7])
        print(f.__name__, near, abs(float(jvp(f, (x,), (t,))[1]) - float(g @ t)) < 1e-9 * (1.0 + abs(float(g @ t))))
        print("  second", np.abs(grad(lambda u: grad(f)(u) @ t)(x) - numeric(lambda u: grad(f)(u) @ t, x)).max() < 1e-4)
    except StagingError as error:
        print(f.__name__, str(error).splitlines()[0])
for n in map(np.zeros, (3, 7, 60)):
    print("loop", np.abs(grad(loop)(x, n) - numeric(lambda u: loop(u, n), x)).max() < 1e-4)
print(grad(returned, has_aux=True)(x))
print(stage(lambda x: grad(loop)(x, np.zeros(7)))(x) - grad(loop)(x, np.zeros(7)))


def outcome(name, call):
    try:
        print(name, call())
    except StagingError as error:
        print(name, str(error).splitlines()[0])


def argument(x):
    x[0] = 1.0
    return x.sum()


def chosen(x, flag):
    y = x * 2.0 if flag else x
    y[0] = 1.0
    return (y * y).sum()


def aliases(x):
    y = x * 2.0
    z = y
    for _ in range(3):
        y[0] += 1.0
        y, z = z, y * 1.0
    return y.sum() + z.sum()


outcome("scattered", lambda: grad(scattered)(x))
outcome("argument", lambda: grad(argument)(x))
print(x)
outcome("chosen", lambda: grad(chosen)(x, True))
outcome("aliases", lambda: grad(aliases)(x))
