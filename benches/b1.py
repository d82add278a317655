"""B1: five scalar kernels, plain Python with `@stage`, the same that the peers compile.

    snekpy benches/b1.py              all kernels, five repetitions of each
    snekpy benches/b1.py nbody        some of them
    snekpy benches/b1.py --serve      for each name of a kernel on a line of its input, runs it once

Prints one JSON object for each kernel (`benches/run` reads them): the median in milliseconds of calls
after the first, the first call with compilation apart, and the result, which the peers' harness checks.
"""

import json
import os
import sys
import time
from array import array

from snekpy import stage


@stage
def integrate_f(a, b, n):
    s = 0.0
    dx = (b - a) / n
    for i in range(n):
        x = a + i * dx
        s += x**2 - x
    return s * dx


@stage
def mandelbrot(w, h, iters):
    total = 0
    for py in range(h):
        ci = 2.0 * py / h - 1.0
        for px in range(w):
            cr = 3.0 * px / w - 2.0
            zr = 0.0
            zi = 0.0
            k = 0
            while k < iters and zr * zr + zi * zi <= 4.0:
                t = zr * zr - zi * zi + cr
                zi = 2.0 * zr * zi + ci
                zr = t
                k += 1
            total += k
    return total


@stage
def collatz_max(limit):
    best = 0
    arg = 0
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        if steps > best:
            best = steps
            arg = start
    return arg * 1000 + best


@stage
def nbody(x, y, z, vx, vy, vz, m, steps, dt):
    n = len(x)
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                dx = x[i] - x[j]
                dy = y[i] - y[j]
                dz = z[i] - z[j]
                d2 = dx * dx + dy * dy + dz * dz
                mag = dt / (d2 * (d2**0.5))
                mi = m[i] * mag
                mj = m[j] * mag
                vx[i] -= dx * mj
                vy[i] -= dy * mj
                vz[i] -= dz * mj
                vx[j] += dx * mi
                vy[j] += dy * mi
                vz[j] += dz * mi
        for i in range(n):
            x[i] += dt * vx[i]
            y[i] += dt * vy[i]
            z[i] += dt * vz[i]
    e = 0.0
    for i in range(n):
        e += 0.5 * m[i] * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i])
        for j in range(i + 1, n):
            dx = x[i] - x[j]
            dy = y[i] - y[j]
            dz = z[i] - z[j]
            e -= m[i] * m[j] / (dx * dx + dy * dy + dz * dz) ** 0.5
    return e


def eval_a(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


@stage
def spectral_norm(n, u, v, t):
    for i in range(n):
        u[i] = 1.0
    for _ in range(10):
        for half in range(2):
            # v = A^T (A u)   then   u = A^T (A v)
            for i in range(n):
                s = 0.0
                for j in range(n):
                    s += eval_a(i, j) * (u[j] if half == 0 else v[j])
                t[i] = s
            for i in range(n):
                s = 0.0
                for j in range(n):
                    s += eval_a(j, i) * t[j]
                if half == 0:
                    v[i] = s
                else:
                    u[i] = s
    vbv = 0.0
    vv = 0.0
    for i in range(n):
        vbv += u[i] * v[i]
        vv += v[i] * v[i]
    return (vbv / vv) ** 0.5


SUN = 4 * 3.141592653589793 * 3.141592653589793
YEAR = 365.24
# Position, velocity and mass of the sun and the four big planets, as in the peers' b1_pure.py.
BODIES = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, SUN],
    [4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01,
     1.66007664274403694e-03 * YEAR, 7.69901118419740425e-03 * YEAR, -6.90460016972063023e-05 * YEAR, 9.54791938424326609e-04 * SUN],
    [8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01,
     -2.76742510726411904e-03 * YEAR, 4.99852801234917238e-03 * YEAR, 2.30417297573763929e-05 * YEAR, 2.85885980666130812e-04 * SUN],
    [1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01,
     2.96460137564761618e-03 * YEAR, 2.37847173959480950e-03 * YEAR, -2.96589568540237556e-05 * YEAR, 4.36624404335156298e-05 * SUN],
    [1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01,
     2.68067772490389322e-03 * YEAR, 1.62824170038242295e-03 * YEAR, -9.51592254519715870e-05 * YEAR, 5.15138902046611451e-05 * SUN],
]


def bodies():
    """Seven arrays: x, y, z, the velocities and the masses; the sun moves so that all together rests."""
    rows = [row[:] for row in BODIES]
    for k in range(3):
        rows[0][3 + k] = -sum([row[3 + k] * row[6] for row in rows]) / SUN
    return [array("d", [row[k] for row in rows]) for k in range(7)]


def zeros(n):
    return array("d", [0.0]) * n


CASES = {
    "integrate_f": lambda: integrate_f(0.0, 2.0, 10000000),
    "mandelbrot": lambda: mandelbrot(500, 500, 100),
    "nbody": lambda: nbody(*bodies(), 500000, 0.01),
    "nbody-lists": lambda: nbody(*map(list, bodies()), 500000, 0.01),
    "spectral_norm": lambda: spectral_norm(500, zeros(500), zeros(500), zeros(500)),
    "collatz": lambda: collatz_max(1000000),
}


def measure(case, action, repetitions):
    start = time.perf_counter()
    result = action()
    cold = time.perf_counter() - start
    wall, cpu = [], []
    for _ in range(repetitions):
        start, start_cpu = time.perf_counter(), time.process_time()
        result = action()
        wall.append((time.perf_counter() - start) * 1e3)
        cpu.append((time.process_time() - start_cpu) * 1e3)
    wall.sort()
    cpu.sort()
    middle = repetitions // 2
    row = {"case": case, "unit": "ms", "value": wall[middle], "lo": wall[0], "hi": wall[-1], "best": wall[0],
           "n": repetitions, "cpu": cpu[middle], "cold_s": cold, "check": result}
    print(json.dumps(row), flush=True)


def serve():
    """Answers each name of a kernel with the milliseconds of process time it took and its result."""
    for line in sys.stdin:
        start = time.process_time()
        result = CASES[line.strip()]()
        print(json.dumps([(time.process_time() - start) * 1e3, result]), flush=True)


if sys.argv[1:] == ["--serve"]:
    serve()
elif __name__ == "__main__":
    repetitions = 3 if os.environ.get("PEERS_QUICK") == "1" else 7
    for case, action in CASES.items():
        if len(sys.argv) < 2 or case in sys.argv[1:]:
            measure(case, action, repetitions)
