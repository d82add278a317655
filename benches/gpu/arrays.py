"""Arrays on a GPU: what benches/gpu/arrays_peers.py does with PyTorch and JAX. Prints a line of JSON for each program.

    snekpy benches/gpu/arrays.py [cuda|simt] [size] [word...]      programs with one of the words in their names
    SNEKPY_CUBLAS=off snekpy benches/gpu/arrays.py     products alone, by snekpy's own kernels

A time is that of many calls, one after the other, and of a wait for the last one, by their number. Operations on arrays wait
until somebody needs the result; `x.to(DEVICE)` of an array that is there begins them, so that each call does its work.
"""

import math
import os
import sys

import snekpy.numpy as np
import timing
from snekpy import kernel

DEVICE = sys.argv[1] if len(sys.argv) > 1 else "cuda"
N = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 26
CALLS = 50 if N > 1 << 20 else 3
SIDE = 8192 if N > 1 << 20 else 16
WORDS = sys.argv[3:] or [""]
OWN = os.environ.get("SNEKPY_CUBLAS") == "off"


def wait(x):
    x = x[0] if isinstance(x, tuple) else x
    x.reshape(-1)[:1].to("cpu")


def begun(x):
    return x if isinstance(x, tuple) else x.to(DEVICE)


def timed(name, call, moved=0, operations=0, calls=CALLS):
    if any(word in name for word in WORDS):
        timing.timed({"name": name}, wait, lambda: begun(call()), moved, operations, calls)


def chain(i, x, y):
    z = x[i] * 2.0 + y[i]
    z = max(z, 0.0)
    return z * 0.5 + 1.0


def converge(i, x, tolerance):
    """1,000 steps and some: it is not known before how many."""
    at = x[i]
    steps = 0
    change = 1.0
    while change > tolerance:
        new = at * 0.99 + 1.0
        change = abs(new - at)
        at = new
        steps += 1
    return at, steps


def main():
    x = (np.arange(N) % 1013).astype("float32").to(DEVICE) * 0.001
    y = (np.arange(N) % 211).astype("float32").to(DEVICE) * 0.01
    timed("copy f32", lambda: x.copy(), 8 * N)
    timed("x + y f32", lambda: x + y, 12 * N)
    timed("x * 2 + y f32", lambda: x * 2.0 + y, 12 * N)
    timed("exp f32", lambda: np.exp(x), 8 * N)
    made = kernel(chain, N, x, y, target=DEVICE, dtype="float32")
    timed("chain f32, one kernel", lambda: made(N, x, y), 12 * N)
    timed("sum f32", lambda: x.sum(), 4 * N)
    timed("max f32", lambda: x.max(), 4 * N)
    rows = x[: SIDE * SIDE].reshape(SIDE, -1)
    timed("sum of rows f32", lambda: rows.sum(axis=1), 4 * rows.size)
    timed("sum of columns f32", lambda: rows.sum(axis=0), 4 * rows.size)
    timed("chain f32, operations on arrays", lambda: np.maximum(x * 2.0 + y, 0.0) * 0.5 + 1.0, 12 * N)
    for dtype in ("float32", "bfloat16", "float64"):
        for side in (SIDE, SIDE // 8):
            wide = rows.astype(dtype).reshape(-1, side).to(DEVICE)
            size = {"float32": 4, "bfloat16": 2, "float64": 8}[dtype]
            timed(f"softmax {dtype}, rows of {side}", lambda: softmax(wide), 2 * size * wide.size)
            timed(f"layer norm {dtype}, rows of {side}", lambda: layer_norm(wide), 2 * size * wide.size)
            if dtype == "float32":
                timed(f"log softmax {dtype}, rows of {side}", lambda: log_softmax(wide), 2 * size * wide.size)
                timed(f"max of rows {dtype}, of {side}", lambda: wide.max(axis=1), size * wide.size)
            del wide
    b = x.astype("bfloat16").to(DEVICE)
    timed("chain bf16", lambda: np.maximum(b * 2.0 + b, 0.0) * 0.5 + 1.0, 4 * N)
    i = (x * 100.0).astype("int32").to(DEVICE)
    timed("i + i int32", lambda: i + i, 8 * N)
    del b, i
    z = x.astype("float64")
    timed("copy f64", lambda: z.copy(), 16 * N)
    timed("z + z f64", lambda: z + z, 24 * N)
    del z
    small = x[:1024]
    timed("x + y of 1024, one call", lambda: small + small, calls=500 if CALLS > 3 else 3)
    one = np.asarray([0.0]).to(DEVICE)
    loop = kernel(converge, 1, one, 4.3e-5, target=DEVICE)
    timed("data-dependent loop, 1000 steps", lambda: loop(1, one, 4.3e-5))
    products()


def products():
    by = ", own kernel" if OWN else ""
    halves = [("bfloat16", SIDE), ("float16", SIDE)] if DEVICE == "cuda" else []
    for dtype, side in [("float32", SIDE // 2), ("float64", SIDE // 4), *halves]:
        a = (np.arange(side * side) % 61).astype("float32") * 0.01
        a = a.astype(dtype).reshape(side, side).to(DEVICE)
        named = {"operations": 2 * side**3, "calls": 10 if CALLS > 3 else 1}
        timed(f"product {dtype} {side}{by}", lambda: a @ a, **named)
        if (dtype, side) in halves:
            row = a[0]
            timed(f"dense layer {dtype} {side}{by}", lambda: np.maximum(a @ a + row, 0.0), **named)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def log_softmax(x):
    d = x - x.max(axis=-1, keepdims=True)
    return d - np.log(np.exp(d).sum(axis=-1, keepdims=True))


def layer_norm(x):
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5)


products() if OWN else main()
