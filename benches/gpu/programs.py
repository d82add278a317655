"""The programs of benches/gpu/run, as plain scalar functions. Run by snekpy: prints a line of JSON for each."""

import json
import math
import sys
from array import array

from snekpy import kernel


def mandelbrot(i, j, limit, step):
    cr = -2.0 + j * step
    ci = -1.25 + i * step
    x = y = 0.0
    for n in range(limit):
        xx = x * x
        yy = y * y
        if xx + yy > 4.0:
            return n
        y = 2.0 * x * y + ci
        x = xx - yy + cr
    return limit


def nbody(i, n, xs, ys, zs, ms):
    """The acceleration of a body."""
    x = xs[i]
    y = ys[i]
    z = zs[i]
    ax = ay = az = 0.0
    for j in range(n):
        dx = xs[j] - x
        dy = ys[j] - y
        dz = zs[j] - z
        square = dx * dx + dy * dy + dz * dz + 1e-9
        factor = ms[j] / (square * math.sqrt(square))
        ax += dx * factor
        ay += dy * factor
        az += dz * factor
    return ax, ay, az


def monte_carlo(i, trials):
    """How many of some random points lie in a quarter of a circle: xorshift64, on 62 bits that Python's ints need not leave."""
    state = (i * 2654435761 + 88172645463325252) & 0x3FFFFFFFFFFFFFFF
    hits = 0
    for _ in range(trials):
        state ^= (state & 0x1FFFFFFFFFFFF) << 13
        state ^= state >> 7
        state ^= (state & 0x1FFFFFFFFFFF) << 17
        x = (state & 0xFFFFFF) / 16777216.0
        y = ((state >> 24) & 0xFFFFFF) / 16777216.0
        if x * x + y * y < 1.0:
            hits += 1
    return hits


def distance(x, y, z):
    """To a field of spheres and the ground."""
    qx = x - 4.0 * math.floor(x / 4.0 + 0.5)
    qz = z - 4.0 * math.floor(z / 4.0 + 0.5)
    sphere = math.sqrt(qx * qx + y * y + qz * qz) - 1.0
    return min(sphere, y + 1.0)


def ray_march(i, j, width, height):
    """The light of a pixel."""
    dx = (j - width * 0.5) / height
    dy = (height * 0.5 - i) / height
    scale = 1.0 / math.sqrt(dx * dx + dy * dy + 1.0)
    dx *= scale
    dy *= scale
    dz = scale
    x = 0.0
    y = 1.0
    z = -3.0
    travelled = 0.0
    for _ in range(128):
        d = distance(x, y, z)
        if d < 1e-4:
            e = 1e-4
            nx = distance(x + e, y, z) - d
            ny = distance(x, y + e, z) - d
            nz = distance(x, y, z + e) - d
            length = math.sqrt(nx * nx + ny * ny + nz * nz)
            light = (nx * 0.5 + ny * 0.7 - nz * 0.5) / length
            return max(light, 0.0) * math.exp(-0.05 * travelled)
        if travelled > 60.0:
            return 0.0
        x += dx * d
        y += dy * d
        z += dz * d
        travelled += d
    return 0.0


N = 1 << 14
POSITIONS = [array("d", [math.sin(k * (1.7 + axis)) for k in range(N)]) for axis in range(3)]
MASSES = array("d", [1.0 + (k % 7) * 0.1 for k in range(N)])

PROGRAMS = {
    "mandelbrot": (mandelbrot, (2048, 2048), 1000, 0.00125),
    "nbody": (nbody, N, N, *POSITIONS, MASSES),
    "monte_carlo": (monte_carlo, 1 << 20, 1000),
    "ray_march": (ray_march, (1080, 1920), 1920.0, 1080.0),
}


def check(results):
    """A number that tells two results apart."""
    arrays = results if isinstance(results, tuple) else (results,)
    return sum(math.fsum(it) for it in arrays)


def main():
    target, fast, repetitions = sys.argv[1], sys.argv[2] == "fast", int(sys.argv[3])
    names = sys.argv[4:] or PROGRAMS
    for name in names:
        function, shape, *args = PROGRAMS[name]
        made = kernel(function, shape, *args, target=target, fast=fast)
        times = []
        for _ in range(repetitions):
            results = made(shape, *args)
            times.append(made.stats()["device"] or 0.0)
        stats = made.stats()
        line = {"name": name, "check": check(results), "times": times, "compile": stats["compile"], "capture": stats["capture"]}
        print(json.dumps(line), flush=True)


main()
