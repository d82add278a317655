"""What gradients cost beside their functions, in loops of floats and for a net of 784-50-10; and those of JAX's scan.

    snekpy benches/gradients.py     the loops: a million iterations of about ten operations; the net: a batch of 64
    python benches/gradients.py     the loops as scans, where JAX is installed

Milliseconds of process time, the least of some calls: of the function, of its gradient by two arguments, and their ratio.
The loops neither grow nor shrink much: a gradient that decays below 2.2e-308 measures denormal floats.
"""
import functools
import math
import sys
import time

N = 1_000_000
CALLS = 9


def orbit(x, y):
    y = y - 0.001 * x * (1.0 + 0.3 * x * x)
    return x + 0.001 * y, y


def rational(x, y):
    d = 1.0 + x * x
    x = x + 0.0001 * (x * 0.99 - y * 0.01) / d
    return x, y - 0.0001 * (y + x) * d


def one(x, y):
    return x + 0.000001 * (x * x * (y - x) * 0.5 + 0.25 * x - y), y


def swung(x, y, sin=math.sin):
    y = y - 0.001 * (sin(x) + 0.2 * x) * 1.1
    return x + 0.001 * y * (1.0 + 0.1 * y * y), y


BODIES = orbit, rational, one, swung


def best(f, *args):
    times = []
    for _ in range(CALLS):
        begin = time.process_time()
        f(*args)
        times.append(time.process_time() - begin)
    return min(times) * 1e3


def show(name, function, gradient):
    print(f"{name:12} {function:8.3f} {gradient:8.3f} {gradient / function:6.2f}", flush=True)


def snekpy():
    from snekpy import grad, stage

    def looped(body):
        def f(x, y, n):
            for _ in range(n):
                x, y = body(x, y)
            return x + y

        return f

    def left(x, y, n):
        k = 0
        while k < n and x < 1e6:
            x, y = orbit(x, y) if x > 0.0 else (x + 0.001 * y, y - 0.0012 * x)
            k += 1
        return x + y

    loops = {body.__name__: looped(body) for body in BODIES} | {"left early": left}
    for name, f in loops.items():
        plain, gradient = stage(f), grad(f, argnums=(0, 1))
        for _ in range(2):
            plain(0.3, 0.7, N), gradient(0.3, 0.7, N)
        show(name, best(plain, 0.3, 0.7, N), best(gradient, 0.3, 0.7, N))
    net()


def net():
    import snekpy.numpy as np
    import snekpy.random as random
    from snekpy import stage, value_and_grad

    def loss(parameters, x, y):
        w1, b1, w2, b2 = parameters
        hidden = np.maximum(x @ w1 + b1, 0.0)
        logits = hidden @ w2 + b2
        logits = logits - logits.max(axis=1, keepdims=True)
        logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return -(logs * y).sum() / x.shape[0]

    def made(shape, scale):
        return (random.normal(random.key(sum(shape)), shape) * scale).astype(np.float32)

    zeros = np.zeros(50, dtype=np.float32), np.zeros(10, dtype=np.float32)
    parameters = made((784, 50), 0.05), zeros[0], made((50, 10), 0.1), zeros[1]
    x, y = made((64, 784), 1.0), np.zeros((64, 10), dtype=np.float32)
    for row in range(64):
        y[row, row % 10] = 1.0
    plain, gradient = stage(loss), value_and_grad(loss)

    def calls(f):
        for _ in range(100):
            f(parameters, x, y)

    calls(plain), calls(gradient)
    for _ in range(3):
        show("784-50-10", best(calls, plain) / 100, best(calls, gradient) / 100)


def jax_scans():
    import jax

    jax.config.update("jax_enable_x64", True)
    for body in BODIES:
        def f(x, y):
            step = functools.partial(body, sin=jax.numpy.sin) if body is swung else body
            x, y = jax.lax.scan(lambda pair, _: (step(*pair), None), (x, y), None, length=N)[0]
            return x + y

        plain, gradient = jax.jit(f), jax.jit(jax.grad(f, argnums=(0, 1)))
        waiting = [lambda it=it: jax.block_until_ready(it(0.3, 0.7)) for it in (plain, gradient)]
        [it() for it in waiting]
        show(body.__name__, *[best(it) for it in waiting])


if sys.implementation.name == "snekpy":
    snekpy()
else:
    jax_scans()
