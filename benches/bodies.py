"""Thirty-odd bodies of loops over small arrays, as people write them: nanoseconds for one turn, `snekpy benches/bodies.py`.

Each staged and eager. With CPython, `python benches/bodies.py`, the same bodies of numpy and of jax, where the loop is a
`fori_loop`. Words choose bodies by their names; `--f32` computes in float32; `--gradients` takes the gradient of the sum of what
the loop gives by what it begins with, of a `scan` for jax; `--json FILE` writes the times there, and `--beside FILE` prints
the times of such a file, and ours as ratios to them. Times are process time, the best of some rounds.
"""

import json
import sys
import time

ROUNDS = 5
# What a measurement takes, about, in seconds.
LONG_ENOUGH = 0.03
# The loops that are differentiated have so many turns.
DIFFERENTIATED = 256


def kalman(np, a):
    f, h, q, r, z = np.eye(4) + 0.01 * a(4, 4), a(2, 4), 0.01 * np.eye(4), np.eye(2), a(2)

    def step(state):
        x, p = state
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h.T + r
        k = p @ h.T @ np.linalg.inv(s)
        return x + k @ (z - h @ x), p - k @ h @ p

    return step, (a(4), np.eye(4))


def gru(np, a):
    wz, wr, wh, uz, ur, uh, x = (*(a(16, 16) for _ in range(6)), a(16))

    def sigmoid(x):
        return 1.0 / (1.0 + np.exp(-x))

    def step(h):
        z = sigmoid(wz @ x + uz @ h)
        r = sigmoid(wr @ x + ur @ h)
        return (1.0 - z) * h + z * np.tanh(wh @ x + uh @ (r * h))

    return step, a(16)


def lstm(np, a):
    w, b, x = a(128, 64), a(128), a(32)

    def sigmoid(x):
        return 1.0 / (1.0 + np.exp(-x))

    def step(state):
        h, c = state
        gates = w @ np.concatenate([x, h]) + b
        i, f, g, o = gates[:32], gates[32:64], gates[64:96], gates[96:]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c

    return step, (a(32), a(32))


def softmax_10(np, a):
    y = a(10)

    def step(x):
        e = np.exp(x - x.max())
        return e / e.sum() + y

    return step, a(10)


def rotations(np, a):
    turn = np.eye(3) + 0.01 * a(3, 3)

    def step(state):
        r, v = state
        r = r @ turn
        return r * (1.0 / np.sqrt((r * r).sum() / 3.0)), r @ v * 0.5

    return step, (np.eye(3), a(3))


def layer_norm_128(np, a):
    scale, shift = a(128), a(128)

    def step(x):
        mean = x.mean()
        var = ((x - mean) ** 2).mean()
        return (x - mean) / np.sqrt(var + 1e-5) * scale + shift

    return step, a(128)


def layer_norm_rows(np, a):
    scale, shift = a(32), a(32)

    def step(x):
        z = x - x.mean(axis=-1, keepdims=True)
        return z / np.sqrt((z * z).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift

    return step, a(16, 32)


def batch_norm(np, a):
    scale, shift = a(16), a(16)

    def step(x):
        z = x - x.mean(axis=0)
        return z / np.sqrt((z * z).mean(axis=0) + 1e-5) * scale + shift

    return step, a(32, 16)


def conv_3x3(np, a):
    k = a(3, 3)

    def step(x):
        y = np.pad(x, 1)
        out = k[0, 0] * y[:16, :16]
        for i in range(3):
            for j in range(3):
                if i or j:
                    out = out + k[i, j] * y[i : i + 16, j : j + 16]
        return np.tanh(out)

    return step, a(16, 16)


def rk4_linear(np, a):
    m = a(4, 4) - np.eye(4)

    def f(y):
        return m @ y

    def step(y):
        h = 0.01
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return step, a(4)


def rk4_lorenz(np, a):
    def f(y):
        return np.array([10.0 * (y[1] - y[0]), y[0] * (28.0 - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]])

    def step(y):
        h = 0.005
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return step, a(3)


def attention(np, a):
    k, v = a(16, 32), a(16, 32)

    def step(q):
        s = q @ k.T / np.sqrt(32.0)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True) @ v

    return step, a(16, 32)


def cholesky_4(np, a):
    m, b = a(4, 4), a(4)

    def step(x):
        spd = m @ m.T + np.eye(4) * (1.0 + (x * x).sum())
        low = np.linalg.cholesky(spd)
        return np.linalg.solve(low.T, np.linalg.solve(low, b))

    return step, a(4)


def gathers(np, a):
    ids, ws = np.arange(64) * 37 % 64, a(64)

    def step(x):
        return x[ids] * 0.5 + ws

    return step, a(64)


def embedding(np, a):
    table, ids = a(50, 16), np.arange(8) * 11 % 50

    def step(x):
        return 0.5 * x + table[ids].mean(axis=0)

    return step, a(16)


def cumulative(np, a):
    y = a(64)

    def step(x):
        return np.cumsum(x) * 0.01 + y

    return step, a(64)


def distances(np, a):
    def step(p):
        d = p[:, None] - p[None]
        r = (d * d).sum(axis=-1)
        return p - 0.001 * (d / (r[:, :, None] + 1.0)).sum(axis=1)

    return step, a(16, 3)


def one_hot_loss(np, a):
    x, labels = a(16, 8), np.arange(16) % 10

    def step(w):
        z = x @ w
        e = np.exp(z - z.max(axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True)
        hot = (labels[:, None] == np.arange(10)) * 1.0
        return w - 0.1 * (x.T @ (p - hot)) / 16.0

    return step, a(8, 10)


def picked_loss(np, a):
    x, labels = a(16, 8), (np.arange(16) % 10)[:, None]

    def step(state):
        w, loss = state
        z = x @ w
        top = z.max(axis=1, keepdims=True)
        logs = z - top - np.log(np.exp(z - top).sum(axis=1, keepdims=True))
        return w * 0.999, loss * 0.5 - np.take_along_axis(logs, labels, axis=1).mean()

    return step, (a(8, 10), a(1)[0])


def policy(np, a):
    w1, b1, w2, b2, back = a(4, 10), a(10), a(10, 2), a(2), a(2, 4)

    def step(x):
        h = np.tanh(x @ w1 + b1)
        z = h @ w2 + b2
        e = np.exp(z - z.max())
        return x * 0.9 + e / e.sum() @ back

    return step, a(4)


def heat_1d(np, a):
    def step(x):
        mid = x[1:-1] + 0.1 * (x[2:] - 2.0 * x[1:-1] + x[:-2])
        return np.concatenate([x[:1], mid, x[-1:]])

    return step, a(64)


def laplace_roll(np, a):
    def step(u):
        around = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
        return u + 0.1 * (around - 4.0 * u)

    return step, a(16, 16)


def nbody(np, a):
    mass = a(5) ** 2 + 0.1

    def step(state):
        p, v = state
        d = p[None] - p[:, None]
        r2 = (d**2).sum(axis=2) + 0.01
        v = v + 0.001 * (mass[None, :, None] * d / (r2 * np.sqrt(r2))[:, :, None]).sum(axis=1)
        return p + 0.001 * v, v

    return step, (a(5, 3), a(5, 3))


def logistic(np, a):
    x, y = a(32, 8), np.where(a(32) > 0.0, 1.0, 0.0)

    def step(w):
        p = 1.0 / (1.0 + np.exp(-(x @ w)))
        return w - 0.1 * (x.T @ (p - y)) / 32.0

    return step, a(8)


def adam(np, a):
    target = a(64)

    def step(state):
        w, m, v, t = state
        g = w - target
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        t = t + 1.0
        w = w - 0.001 * (m / (1.0 - 0.9**t)) / (np.sqrt(v / (1.0 - 0.999**t)) + 1e-8)
        return w, m, v, t

    return step, (a(64), a(64) * 0.0, a(64) * 0.0, a(1)[0] * 0.0)


def power_iteration(np, a):
    m = a(16, 16) + 4.0 * np.eye(16)

    def step(v):
        v = m @ v
        return v / np.sqrt((v * v).sum())

    return step, a(16)


def jacobi(np, a):
    m, b = 0.1 * a(16, 16), a(16)

    def step(x):
        return (b - m @ x) / 4.0

    return step, a(16)


def particles(np, a):
    def step(state):
        x, w = state
        w = w * np.exp(-0.5 * (0.3 - x) ** 2)
        w = w / w.sum()
        return x + 0.1 * ((w * x).sum() - x), w

    return step, (a(128), a(128) ** 2 + 0.1)


def hebb(np, a):
    x = a(16)

    def step(w):
        y = np.tanh(w @ x)
        return w + 0.01 * (np.outer(y, x) - (y * y)[:, None] * w)

    return step, a(16, 16)


def quaternions(np, a):
    w2, x2, y2, z2 = 0.99, 0.1, 0.05, 0.02

    def step(q):
        w1, x1, y1, z1 = q
        q = np.stack([
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        ])
        return q / np.linalg.norm(q)

    return step, a(4)


def leaky(np, a):
    y = a(256)

    def step(x):
        return np.clip(np.where(x > 0.0, x, 0.01 * x) + y, -1.0, 1.0)

    return step, a(256)


def max_pool(np, a):
    def step(x):
        small = x.reshape(8, 2, 8, 2).max(axis=(1, 3))
        return x * 0.5 + np.repeat(np.repeat(small, 2, axis=0), 2, axis=1) * 0.1

    return step, a(16, 16)


def horner(np, a):
    c = [0.1, -0.2, 0.3, 0.05, -0.01, 0.02]

    def step(x):
        y = c[0]
        for k in c[1:]:
            y = y * x + k
        return y

    return step, a(64)


def fill(np, a):
    def step(x):
        y = np.zeros(32) + x[0] * 0.01
        return np.where(np.arange(32) % 2 == 0, y, x * 0.5)

    return step, a(32)


def series(np, a):
    m = 0.1 * a(4, 4)

    def step(e):
        total, term = np.eye(4), np.eye(4)
        for k in range(1, 6):
            term = term @ m / k
            total = total + term
        return 0.5 * e + 0.1 * total @ e

    return step, a(4, 4)


def ordered(np, a):
    y = a(16)

    def step(x):
        s = np.sort(x)
        return s * 0.5 + y * (s[7] + s[8])

    return step, a(16)


BODIES = [
    kalman, gru, lstm, softmax_10, rotations, layer_norm_128, layer_norm_rows, batch_norm, conv_3x3, rk4_linear,
    rk4_lorenz, attention, cholesky_4, gathers, embedding, cumulative, distances, one_hot_loss, picked_loss, policy,
    heat_1d, laplace_roll, nbody, logistic, adam, power_iteration, jacobi, particles, hebb, quaternions, leaky, max_pool,
    horner, fill, series, ordered,
]  # fmt: skip


def plain_numbers(np, dtype):
    """What makes arrays of numbers between -1 and 1, always the same."""
    seed = 12345

    def numbers(*shape):
        nonlocal seed
        count, out = 1, []
        for size in shape:
            count *= size
        for _ in range(count):
            seed = (seed * 1103515245 + 12345) % 2147483648
            out.append(seed / 1073741824.0 - 1.0)
        return np.asarray(out, dtype=dtype).reshape(shape)

    return numbers


def best(call):
    """Seconds for one turn of `call(turns)`, and what it gave."""
    turns = 256
    while True:
        begin = time.process_time()
        call(turns)
        took = time.process_time() - begin
        if took > LONG_ENOUGH:
            break
        turns *= 2 if took > LONG_ENOUGH / 8 else 8
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        call(turns)
        times.append(time.process_time() - begin)
    call(64)
    return min(times) / turns, call(64)


def looped(step):
    def run(state, turns):
        for _ in range(turns):
            state = step(state)
        return state

    return run


def summed(np, state):
    return sum(np.sum(part) for part in state) if isinstance(state, tuple) else np.sum(state)


def repeated(gradient):
    """Turns are counted in whole loops."""

    def run(state, turns):
        for _ in range(max(turns // DIFFERENTIATED, 1)):
            result = gradient(state)
        return result

    return run


def columns(gradients):
    if sys.implementation.name != "cpython":
        import snekpy.numpy as np
        from snekpy import grad, stage

        if gradients:
            yield "gradient", np, lambda step: repeated(grad(lambda it: summed(np, looped(step)(it, DIFFERENTIATED))))
            return
        yield "staged", np, lambda step: stage(looped(step))
        yield "eager", np, looped
        return
    import numpy

    if not gradients:
        yield "numpy", numpy, looped
    try:
        import jax
    except ImportError:
        return
    jax.config.update("jax_enable_x64", True)

    def jitted(step):
        run = jax.jit(lambda state, n: jax.lax.fori_loop(0, n, lambda _, state: step(state), state))
        return lambda state, n: jax.block_until_ready(run(state, n))

    def differentiated(step):
        def loss(state):
            turns = jax.lax.scan(lambda it, _: (step(it), None), state, None, DIFFERENTIATED)
            return summed(jax.numpy, turns[0])

        gradient = jax.jit(jax.grad(loss))
        return repeated(lambda state: jax.block_until_ready(gradient(state)))

    yield "jax", jax.numpy, differentiated if gradients else jitted


def total(state):
    """A number that tells results apart."""
    parts = state if isinstance(state, tuple) else (state,)
    return sum(float(abs(part).sum()) for part in parts)


def main(args):
    dtype, beside, out, gradients = "float64", {}, None, False
    words = []
    while args:
        arg = args.pop(0)
        if arg == "--f32":
            dtype = "float32"
        elif arg == "--gradients":
            gradients = True
        elif arg == "--json":
            out = args.pop(0)
        elif arg == "--beside":
            with open(args.pop(0)) as file:
                beside = json.load(file)
        else:
            words.append(arg)
    all_columns = list(columns(gradients))
    print(f"{'':18}" + "".join(f"{name:>12}" for name, *_ in all_columns) + f"{'beside':>12}{'ratio':>8}")
    times, product, count = {}, 1.0, 0
    for body in BODIES:
        name = body.__name__
        if words and not any(word in name for word in words):
            continue
        line, ours = f"{name:18}", None
        for column, np, wrap in all_columns:
            try:
                step, state = body(np, plain_numbers(np, dtype))
                run = wrap(step)
                seconds, result = best(lambda turns: run(state, turns))
                line += f"{seconds * 1e9:>12.1f}"
                times[name] = [seconds * 1e9, total(result)]
                ours = ours or times[name]
            except Exception as error:
                line += f"{type(error).__name__:>12.11}"
                print(f"  {name}, {column}: {error}", file=sys.stderr)
        if name in beside and ours:
            theirs, value = beside[name]
            product, count = product * ours[0] / theirs, count + 1
            line += f"{theirs:>12.1f}{ours[0] / theirs:>8.2f}"
            if abs(value - ours[1]) > 1e-3 * abs(value):
                line += f"  differs: {ours[1]} and {value}"
        print(line, flush=True)
    if count:
        print(f"geometric mean {product ** (1 / count):.2f}")
    if out:
        with open(out, "w") as file:
            json.dump(times, file)


main(sys.argv[1:])
