"""mandelbrot of benches/gpu/programs.py with numba-cuda. Prints a line of JSON."""

import json
import sys

import numpy
from numba import cuda


@cuda.jit(fastmath=False)
def mandelbrot(out, limit, step):
    i, j = cuda.grid(2)
    if i >= out.shape[0] or j >= out.shape[1]:
        return
    cr = -2.0 + j * step
    ci = -1.25 + i * step
    x = y = 0.0
    count = limit
    for n in range(limit):
        xx = x * x
        yy = y * y
        if xx + yy > 4.0:
            count = n
            break
        y = 2.0 * x * y + ci
        x = xx - yy + cr
    out[i, j] = count


def main():
    out = cuda.device_array((2048, 2048), dtype=numpy.int64)
    # Threads of a warp side by side in a row.
    threads, blocks = (8, 32), (2048 // 8, 2048 // 32)
    times = []
    for _ in range(int(sys.argv[1]) + 1):
        before, after = cuda.event(), cuda.event()
        before.record()
        mandelbrot[blocks, threads](out, 1000, 0.00125)
        after.record()
        after.synchronize()
        times.append(cuda.event_elapsed_time(before, after) / 1000)
    check = float(out.copy_to_host().sum())
    print(json.dumps({"name": "mandelbrot", "check": check, "times": times[1:]}))


main()
