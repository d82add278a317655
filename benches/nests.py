"""Loops over small arrays, nanoseconds for one turn: `snekpy benches/nests.py`.

Each body staged and eager, in one run. With CPython, `python benches/nests.py`, the same bodies of numba and of jax, as far
as they are installed: loops of arrays are `fori_loop` there. Times are process time, the best of some rounds.
"""

import sys
import time

ROUNDS = 5
SIZES = (4, 16, 64, 256)


def best(call):
    call(), call()
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def damped(x, w, y, n):
    for i in range(n):
        x = x * 0.5 + y
    return x


def cell(np):
    def cell(x, w, y, n):
        for i in range(n):
            x = np.tanh(w @ x + y)
        return x

    return cell


def norm(np):
    def norm(x, w, y, n):
        for i in range(n):
            z = x - x.sum() * 0.01
            x = z / np.sqrt((z * z).sum() + 1e-5) + y
        return x

    return norm


def softmax(np):
    def softmax(x, w, y, n):
        for i in range(n):
            e = np.exp(x - x.max())
            x = e / e.sum() + y
        return x

    return softmax


def euler(np):
    def euler(x, w, y, n):
        for i in range(n):
            x = x + 0.01 * (y - np.maximum(x, 0.0) * x)
        return x

    return euler


def bodies(np):
    return [("x * 0.5 + y", lambda _: damped), ("tanh(w @ x + y)", cell), ("norm", norm), ("softmax", softmax), ("euler", euler)]


def report(np, columns):
    """`columns` are pairs of a name and what makes a function of a body."""
    print(f"{'':18}{'size':>6}" + "".join(f"{name:>14}" for name, _ in columns))
    for name, make in bodies(np):
        for size in SIZES:
            if name.startswith("tanh") and size > 64:
                continue
            x, y = np.arange(float(size)) / size - 0.3, np.arange(float(size)) / size * 0.1
            w = np.arange(float(size * size)).reshape(size, size) % 7 / 7 / size
            n = 4000 if name.startswith("tanh") else 20000
            line = f"{name:18}{size:>6}"
            for _, wrap in columns:
                try:
                    call = wrap(make)
                    line += f"{best(lambda: call(x, w, y, n)) / n * 1e9:>14.1f}"
                except Exception as error:
                    line += f"{type(error).__name__:>14.13}"
            print(line, flush=True)


def main():
    if sys.implementation.name == "cpython":
        import numpy as np

        columns = [("numpy", lambda make: make(np))]
        try:
            import numba

            columns.append(("numba", lambda make: numba.njit(make(np))))
        except ImportError:
            pass
        try:
            import jax

            jax.config.update("jax_enable_x64", True)
            jnp = jax.numpy

            def jitted(make):
                # One turn of the body is what the loop of jax repeats.
                step = make(jnp)
                run = jax.jit(lambda x, w, y, n: jax.lax.fori_loop(0, n, lambda _, x: step(x, w, y, 1), x))
                return lambda x, w, y, n: run(x, w, y, n).block_until_ready()

            columns.append(("jax", jitted))
        except ImportError:
            pass
        return report(np, columns)
    import snekpy.numpy as np
    from snekpy import stage

    report(np, [("staged", lambda make: stage(make(np))), ("eager", lambda make: make(np))])


main()
