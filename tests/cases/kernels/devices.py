# Arrays in the memory of a device: what is computed there is what is computed here.
import warnings
from array import array

import snekpy
import snekpy.numpy as np
from snekpy import kernel, parallel, parallel_sum

DEVICE = "simt"
warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


def same(name, there, here, rough=False):
    assert there.device == DEVICE, (name, there.device)
    assert there.dtype == here.dtype and there.shape == here.shape, (name, there.dtype, here.dtype, there.shape, here.shape)
    found = there.to("cpu")
    if rough:
        fine = np.allclose(found, here, rtol=1e-5 if here.dtype == np.float32 else 1e-13, atol=1e-300, equal_nan=True)
    else:
        fine = found.tobytes() == here.tobytes() or bool(np.all((found == here) | (np.isnan(found) & np.isnan(here))))
    if not fine:
        print("differs:", name, here.dtype, found, here)


SPECIAL = [0.0, -0.0, 1.0, -1.5, 2.5, 1e30, -1e-30, float("inf"), float("-inf"), float("nan"), 7.0, -3.0]
INTS = [0, 1, -1, 2, 7, -5, 2**62, -(2**63), 2**63 - 1, 12, -12, 3]
INT = ("int64", "int32")
ARRAYS = {
    "float64": np.asarray(SPECIAL),
    "float32": np.asarray(SPECIAL, dtype=np.float32),
    "float16": np.asarray(SPECIAL).astype("float16"),
    "bfloat16": np.asarray(SPECIAL).astype("bfloat16"),
    "int64": np.asarray(INTS),
    "int32": np.asarray(INTS).astype("int32"),
    "bool": np.asarray([True, False] * 6),
}
EXACT = "negative abs square sign sqrt floor ceil trunc round reciprocal isnan isinf isfinite signbit".split()
ROUGH = "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt".split()
PAIRS = "add subtract multiply divide floor_divide remainder minimum maximum copysign".split()
COMPARE = "equal not_equal less less_equal greater greater_equal".split()

for dtype, x in ARRAYS.items():
    there = x.to(DEVICE)
    assert there.to(DEVICE) is there
    same("copy", there.copy(), x)
    for name in EXACT + ROUGH:
        f = getattr(np, name)
        if dtype == "bool" or dtype in INT and name not in ("negative", "abs", "square", "sign"):
            continue
        arg, on = x, there
        if name in ROUGH:
            arg = (x[:5] * 0.3).astype(dtype)
            on = arg.to(DEVICE)
        # Functions of singles are the same steps everywhere, but for the last unit of what a double was.
        same(name, f(on), f(arg), rough=name in ROUGH and (dtype == "float64" or name == "cbrt"))
    if dtype != "bool":
        for name in PAIRS + COMPARE:
            f = getattr(np, name)
            if dtype in INT and name in ("copysign", "divide"):
                continue
            rolled = np.roll(x, 5)
            same(name, f(there, rolled.to(DEVICE)), f(x, rolled))
            same(name + " with a number", f(there, 3), f(x, 3))
            same(name + " of a number", f(2, there), f(2, x))
            same(name + " with an array here", f(there, rolled), f(x, rolled))
    if dtype not in INT + ("bool",):
        for name in "pow arctan2 hypot fmod logaddexp nextafter".split():
            if name == "nextafter" and x.dtype.itemsize == 2:
                continue
            f, rolled = getattr(np, name), np.roll(x, 5)
            rough = name not in ("fmod", "nextafter") and dtype in ("float32", "float64")
            same(name, f(there, rolled.to(DEVICE)), f(x, rolled), rough)
            same(name + " with a number", f(there, 0.5), f(x, 0.5), rough)
    if dtype in INT + ("bool",):
        same("bits", (there & there[::-1]) ^ ~there | there, (x & x[::-1]) ^ ~x | x)
    if dtype in INT:
        same("shifts", (there << 3) + (there >> (there & 7)), (x << 3) + (x >> (x & 7)))
    for other in ARRAYS:
        same("astype " + other, there.astype(other), x.astype(other))
same("to int", np.asarray([1.9, -1.9, 5e18]).to(DEVICE).astype("int64"), np.asarray([1.9, -1.9, 5e18]).astype("int64"))

m = np.arange(24.0).reshape(2, 3, 4)
d = m.to(DEVICE)
same("broadcast", d + d[0], m + m[0])
same("a row", d[1] * np.asarray([1.0, 2.0, 3.0, 4.0]).to(DEVICE), m[1] * np.asarray([1.0, 2.0, 3.0, 4.0]))
same("a column", d[1] - d[1, :, :1], m[1] - m[1, :, :1])
same("transposed", d.transpose(2, 0, 1) + 1, m.transpose(2, 0, 1) + 1)
same("backwards", d[:, ::-1, ::2] * 2, m[:, ::-1, ::2] * 2)
same("where", np.where(d > 10, d, -d), np.where(m > 10, m, -m))
same("logic", (d > 3) & ~(d > 9) | (d == 20), (m > 3) & ~(m > 9) | (m == 20))
for axis in (None, 0, 1, 2, (0, 2), -1):
    for name in "sum prod max min mean".split():
        same(f"{name} {axis}", getattr(np, name)(d, axis=axis), getattr(np, name)(m, axis=axis), rough=True)
same("any", np.any(d > 22, axis=1), np.any(m > 22, axis=1))
same("sum of ints", np.arange(1000).to(DEVICE).sum(), np.arange(1000).sum())
same("softmax", np.exp(d - d.max(axis=-1, keepdims=True)) / np.exp(d - d.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True),
     np.exp(m - m.max(axis=-1, keepdims=True)) / np.exp(m - m.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True), rough=True)

# Rows: what was folded is used again, in one kernel. Singles, halves and ints have the bits of the CPU.
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x):
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5)


def log_softmax(x):
    d = x - x.max(axis=-1, keepdims=True)
    return d - np.log(np.exp(d).sum(axis=-1, keepdims=True))


for length in (1, 10, 150, 1500):
    here = ((np.arange(3 * length) * 7919 % 1009) * 0.013 - 5.0).reshape(3, length)
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        x = here.astype(dtype)
        for f in (softmax, layer_norm, log_softmax):
            same(f.__name__, f(x.to(DEVICE)), f(x), rough=dtype == "float64")
        y = x.to(DEVICE)
        top = y.max(axis=1, keepdims=True)
        same("kept", y - top, x - x.max(axis=1, keepdims=True))
        same("kept too", top, x.max(axis=1, keepdims=True))
    x = (here * 100).astype("int32")
    y = x.to(DEVICE)
    for name in ("sum", "prod", "min", "max", "argmax", "argmin", "any", "all"):
        same(name, getattr(np, name)(y, axis=1), getattr(np, name)(x, axis=1))
        same(name, getattr(np, name)(y, axis=0), getattr(np, name)(x, axis=0))
    same("extremes with NaN", np.argmax(np.log(y * 0.01 - 2.0), axis=1), np.argmax(np.log(x * 0.01 - 2.0), axis=1))

# Elements at positions.
table, at = np.arange(60.0).reshape(5, 4, 3), np.asarray([4, 0, -1, 2])
there, places = table.to(DEVICE), np.asarray([4, 0, -1, 2]).to(DEVICE)
same("rows at positions", there[places], table[at])
same("rows at positions here", there[at], table[at])
same("take", np.take(there, places % 3, axis=2), np.take(table, at % 3, axis=2))
same("pairs", there[places, places % 4], table[at, at % 4])
same("apart", there[places, :, places % 3], table[at, :, at % 3])
try:
    there[np.asarray([0, 7]).to(DEVICE)]
except IndexError as error:
    print(error)
for dtype in ("float64", "float32", "int64", "int32"):
    a = (np.arange(12) - 5).astype(dtype).reshape(3, 4)
    same("product", a.to(DEVICE) @ a.T.to(DEVICE), a @ a.T)

x = np.arange(6.0).to(DEVICE)
y = x
y += 1
y[1:3] = 9.0
y *= x
same("in place", x, np.asarray([1.0, 81.0, 81.0, 16.0, 25.0, 36.0]))
print(x.device == DEVICE, x.shape, x.dtype, np.zeros(3, device=DEVICE).device == DEVICE, np.ones(2).device)

# Kernels take them as they are, and what they give stays there.
k = parallel(lambda i, x, s: x[i] * s, 6, x, 2.0, target=DEVICE)
same("kernel", k, np.asarray([2.0, 162.0, 162.0, 32.0, 50.0, 72.0]))
print(parallel_sum(lambda i, x: x[i], 6, x, target=DEVICE))
try:
    parallel(lambda i, x: 1.0 / (float(x[i]) - 81.0), 6, x, target=DEVICE)
except ZeroDivisionError as error:
    print("ZeroDivisionError:", error)
try:
    parallel(lambda i, x: x[i], 7, x, target=DEVICE)
except IndexError as error:
    print("IndexError:", error)
both = parallel(lambda i, x, y: x[i] + y[i], 3, x, array("d", [1.0, 2.0, 3.0]), target=DEVICE)
print(both.device == DEVICE, both.to("cpu").tolist())

# What is done on the CPU is copied, with a warning at the line.
for what in ("x.tolist()", "float(x[0])", "np.linalg.det(x[:4].reshape(2, 2))", "parallel(lambda i, x: x[i], 6, x)", "str(x)"):
    try:
        eval(what)
        print("no warning:", what)
    except snekpy.ImplicitCopyWarning as warning:
        print(what, str(warning).replace(DEVICE, "the device"))
    x += 0
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    first = np.linalg.det(x[:4].reshape(2, 2))
    second = np.linalg.det(x[:4].reshape(2, 2))
print(first.device, len(caught), [it.category.__name__ for it in caught], [it.filename.endswith("devices.py") for it in caught])
try:
    memoryview(x)
except BufferError as error:
    print("BufferError")
try:
    np.zeros(3).to("abacus")
except ValueError as error:
    print(error)
