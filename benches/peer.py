"""B1's kernels by a peer, for `benches/run`: by numba, or by a library compiled from b1_c.c.

    python benches/peer.py PEERS numba
    python benches/peer.py PEERS clang.so

PEERS is the folder of b1_pure.py. For each name of a kernel on a line of its input, runs it once and answers
with the milliseconds of process time it took and its result.
"""

import ctypes
import json
import sys
import time

KERNELS = ("integrate_f", "mandelbrot", "nbody", "spectral_norm", "collatz_max")


def by_numba(pure):
    import numba
    import numpy

    pure.eval_a = numba.njit(pure.eval_a)
    return [numba.njit(getattr(pure, name)) for name in KERNELS], numpy.array


def by_library(path):
    library = ctypes.CDLL(path)
    double, integer, array = ctypes.c_double, ctypes.c_int64, ctypes.POINTER(ctypes.c_double)
    types = {
        "integrate_f": (double, [double, double, integer]),
        "mandelbrot": (integer, [integer] * 3),
        "nbody": (double, [array] * 7 + [integer, double]),
        "spectral_norm": (double, [integer] + [array] * 3),
        "collatz_max": (integer, [integer]),
    }
    for name, (result, arguments) in types.items():
        getattr(library, name).restype = result
        getattr(library, name).argtypes = arguments
    return [getattr(library, name) for name in KERNELS], lambda items: (double * len(items))(*items)


def main():
    peers, which = sys.argv[1:]
    sys.path.insert(0, peers)
    import b1_pure

    (integrate_f, mandelbrot, nbody, spectral_norm, collatz), array = by_numba(b1_pure) if which == "numba" else by_library(which)
    bodies = lambda: [array(row) for row in b1_pure.nbody_init()]
    cases = {
        "integrate_f": lambda: integrate_f(0.0, 2.0, 10_000_000),
        "mandelbrot": lambda: mandelbrot(500, 500, 100),
        "nbody": lambda: nbody(*bodies(), 500_000, 0.01),
        "nbody-lists": lambda: nbody(*bodies(), 500_000, 0.01),
        "spectral_norm": lambda: spectral_norm(500, *[array([0.0] * 500) for _ in range(3)]),
        "collatz": lambda: collatz(1_000_000),
    }
    for line in sys.stdin:
        start = time.process_time()
        result = cases[line.strip()]()
        print(json.dumps([(time.process_time() - start) * 1e3, result]), flush=True)


main()
