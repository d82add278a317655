"""Loops that write to small arrays in place: nanoseconds for one turn, `snekpy benches/in_place.py`.

Each staged and eager. With CPython, `python benches/in_place.py`, the same functions of numpy and, if it is there, of numba.
Times are process time, the best of some rounds.
"""

import inspect
import sys
import time

ROUNDS, TURNS = 7, 20_000


def update(np, w, g, n):
    for i in range(n):
        w -= 0.001 * g
    return w


def momentum(np, w, g, n):
    m = np.zeros(64)
    for i in range(n):
        m *= 0.9
        m += 0.1 * g
        w -= 0.001 * m
    return w


def smooth(np, w, g, n):
    for i in range(n):
        w[1:-1] = 0.5 * (w[2:] + w[:-2])
    return w


def stencil(np, w, g, n):
    u = w
    for i in range(n):
        new = np.zeros(64)
        new[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        new[0] = u[0]
        new[-1] = u[-1]
        u = new
    return u


def history(np, w, g, n):
    rows = np.zeros((8, 64))
    for i in range(n):
        rows[i % 8] = w * 0.5 + rows[(i + 1) % 8]
    return rows


def rows_and_columns(np, w, g, n):
    m = np.ones((8, 64))
    for i in range(n):
        m[i % 8] *= 0.5
        m[:, 3] += w[:8]
    return m


BODIES = [update, momentum, smooth, stencil, history, rows_and_columns]


def columns():
    if sys.implementation.name != "cpython":
        import snekpy.numpy as np
        from snekpy import stage

        yield "staged", np, lambda body: stage(lambda w, g, n: body(np, w, g, n))
        yield "eager", np, lambda body: lambda w, g, n: body(np, w, g, n)
        return
    import numpy

    yield "numpy", numpy, lambda body: lambda w, g, n: body(numpy, w, g, n)
    try:
        import numba
    except ImportError:
        return

    def compiled(body):
        # numba knows numpy by its global name.
        scope = {"np": numpy}
        exec(inspect.getsource(body).replace("(np, ", "("), scope)
        return numba.njit(scope[body.__name__])

    yield "numba", numpy, compiled


def best(np, call):
    """Nanoseconds for one turn, and a number that tells results apart."""

    def arrays():
        return np.sin(np.arange(64.0)), np.cos(np.arange(64.0))

    call(*arrays(), 100)
    call(*arrays(), 100)
    times = []
    for _ in range(ROUNDS):
        w, g = arrays()
        begin = time.process_time()
        call(w, g, TURNS)
        times.append(time.process_time() - begin)
    return min(times) / TURNS * 1e9, float(np.abs(call(*arrays(), 100)).sum())


def main():
    all = list(columns())
    print(" " * 20 + "".join(f"{name:>10}" for name, _, _ in all))
    for body in BODIES:
        found = [best(np, how(body)) for _, np, how in all]
        assert all and max(it[1] for it in found) - min(it[1] for it in found) < 1e-9, body.__name__
        print(f"{body.__name__:20}" + "".join(f"{took:10.1f}" for took, _ in found))


main()
