"""How long staging and compilation take, and what a call costs. Runs under snekpy and, with the peers'
names, under a Python that has numba or jax.

    snekpy benches/latency.py             staged
    python benches/latency.py numba       the same functions with numba.njit
    python benches/latency.py jax         the same with jax.jit

Every repetition makes new functions from text, so nothing is found in a cache. Prints one JSON object
for each case; the unit is milliseconds, for a call microseconds; `cpu` is the same in process time.
"""

import json
import statistics
import sys
import time

# 30 operations with a loop and a branch in them.
THIRTY = """
def f(x, n):
    s = 0.0
    y = x * 1.5 + {k}.0
    for i in range(n):
        a = x * x - y * y + 0.25
        b = 2.0 * x * y - 0.125
        if a * a + b * b > 4.0:
            a = a / 3.0
            b = b / 3.0
        else:
            a = a + 0.5 * b
        s = s + a * b - s / 8.0
        x = a - b / 2.0
        y = b + a / 4.0
    return s + x * y - y / 2.0
"""

CALLS = 20000

CHAIN_HEAD = "def f(x, n):\n"
CHAIN_STEP = "    x = x * 1.01\n    x = x + 0.5\n    x = x if x > 0.25 else 0.25\n    x = x - {part}\n"


def thirty(k):
    return THIRTY.format(k=k)


def chain(k):
    """A thousand operations, one after the other, written out."""
    steps = [CHAIN_STEP.format(part=0.125 * (i % 3) + k * 1e-6) for i in range(250)]
    return CHAIN_HEAD + "".join(steps) + "    return x\n"


def straight(text):
    """For jax, whose `if` and `range` do not take traced values: the same number of operations."""
    text = text.replace("x if x > 0.25 else 0.25", "where(x > 0.25, x, 0.25)")
    return text


JAX_THIRTY = """
def f(x, n):
    y = x * 1.5 + {k}.0
    def body(i, c):
        s, x, y = c
        a = x * x - y * y + 0.25
        b = 2.0 * x * y - 0.125
        big = a * a + b * b > 4.0
        a, b = where(big, a / 3.0, a + 0.5 * b), where(big, b / 3.0, b)
        return s + a * b - s / 8.0, a - b / 2.0, b + a / 4.0
    s, x, y = fori_loop(0, n, body, (x * 0.0, x, y))
    return s + x * y - y / 2.0
"""


def compilers():
    which = sys.argv[1] if len(sys.argv) > 1 else "snekpy"
    if which == "numba":
        import numba

        return which, numba.njit, {}, False
    if which == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        space = {"where": jax.numpy.where, "fori_loop": jax.lax.fori_loop}
        return which, lambda f: (lambda g: lambda x, n: g(x, n).block_until_ready())(jax.jit(f)), space, True
    from snekpy import stage

    return which, stage, {}, False


def make(text, space):
    space = dict(space)
    exec(text, space)
    return space["f"]


def latency(case, texts, jit, space):
    times, cpu = [], []
    for text in texts:
        function = make(text, space)
        start, start_cpu = time.perf_counter(), time.process_time()
        jit(function)(0.5, 3)
        times.append((time.perf_counter() - start) * 1e3)
        cpu.append((time.process_time() - start_cpu) * 1e3)
    report(case, "ms", times[1:] or times, cpu[1:] or cpu)      # the first one wakes the compiler up


def report(case, unit, times, cpu):
    row = {"case": case, "unit": unit, "value": statistics.median(times), "lo": min(times), "hi": max(times),
           "n": len(times), "cpu": statistics.median(cpu)}
    print(json.dumps(row), flush=True)


def call_cost(jit, space):
    """A compiled function of one operation beside the same function uncompiled, microseconds a call."""
    plain = make("def f(x, n):\n    return x + 1.0\n", space)
    compiled = jit(make("def f(x, n):\n    return x + 1.0\n", space))
    for case, function in (("call-plain", plain), ("call-compiled", compiled)):
        function(0.5, 3)
        times, cpu = [], []
        for _ in range(7):
            start, start_cpu = time.perf_counter(), time.process_time()
            for _ in range(CALLS):
                function(0.5, 3)
            times.append((time.perf_counter() - start) / CALLS * 1e6)
            cpu.append((time.process_time() - start_cpu) / CALLS * 1e6)
        report(case, "us", times, cpu)


def main():
    which, jit, space, is_jax = compilers()
    slow = which == "numba"
    small = [JAX_THIRTY.format(k=k) if is_jax else thirty(k) for k in range(1, 12)]
    latency("thirty-ops", small, jit, space)
    chains = [straight(chain(k)) if is_jax else chain(k) for k in range(2 if slow else 6)]
    latency("chain-1000", chains, jit, space)
    call_cost(jit, space)


if __name__ == "__main__":
    main()
