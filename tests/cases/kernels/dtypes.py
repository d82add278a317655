# Kernels on arrays of every dtype: what they read are elements, and what they give has the bits of the loop in plain Python.
#@ reference snekpy: CPython has no arrays of these dtypes
import warnings
from array import array

import snekpy
import snekpy.numpy as np
from snekpy import kernel, parallel, parallel_sum

warnings.simplefilter("error", snekpy.ImplicitCopyWarning)
TARGETS = ("cpu", "simt")
INTS, FLOATS = ("int32", "int64"), ("float16", "bfloat16", "float32", "float64")
N = 13


def same(name, found, expected):
    expected = np.asarray([it.item() if isinstance(it, np.ndarray) else it for it in expected]).astype(found.dtype)
    expected = expected.reshape(found.shape)
    if found.dtype == "bool" or found.dtype in INTS:
        fine = found.tobytes() == expected.tobytes()
    else:
        fine = bool(np.all((found == expected) & (np.signbit(found) == np.signbit(expected)) | np.isnan(found) & np.isnan(expected)))
    if not fine:
        print("differs:", name, found, expected)


class Random:
    def __init__(self, seed):
        self.state = seed * 2654435761 + 12345

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit

    def pick(self, items):
        return items[self.below(len(items))]


def condition(r, kind, depth):
    if depth == 0 or r.below(3) == 0:
        return r.pick(("i % 3 == 1", "i > 4", "b[i]"))
    if r.below(3) == 0:
        return f"({condition(r, kind, depth - 1)}) {r.pick(('and', 'or'))} ({condition(r, kind, depth - 1)})"
    return f"{number(r, kind, depth - 1)} {r.pick(('<', '<=', '==', '!=', '>', '>='))} {number(r, kind, depth - 1)}"


def number(r, kind, depth):
    if depth == 0 or r.below(5) == 0:
        return r.pick(("x[i]", "y[i]", "x[(i * 5 + 2) % 13]", "y[-1 - i]", "z[i]", "p", "q"))
    a, b = number(r, kind, depth - 1), number(r, kind, depth - 1)
    choice = r.below(12)
    if choice < 5:
        return f"({a} {r.pick('+-*')} {b})"
    if choice == 5:
        return f"({a} {r.pick(('//', '%'))} {b})"
    if choice == 6:
        return f"({a} {r.pick('+-*')} {r.pick((2, -3, 7))})"
    if choice == 7:
        return f"abs({a})" if r.below(2) else f"(-{a})"
    if choice == 8:
        return f"np.{r.pick(('minimum', 'maximum'))}({a}, {b})"
    if choice == 9:
        return f"({a}) ** 2"
    if choice == 10:
        return f"({a} {r.pick('&|^')} {b})" if kind == "int" else f"np.sqrt(abs({a}))"
    return f"({a} << 3)" if kind == "int" else f"np.{r.pick(('floor', 'ceil', 'trunc'))}({a} / {b})"


def body(seed, kind):
    r = Random(seed)
    lines = ["def f(i, x, y, z, b):", "    p = x[i]", "    q = y[12 - i]"]
    for _ in range(1 + r.below(3)):
        name, form = r.pick("pq"), r.below(4)
        if form == 0:
            lines += [f"    if {condition(r, kind, 2)}:", f"        {name} = {number(r, kind, 2)} + p", "    else:", f"        {name} = q - {number(r, kind, 1)}"]
        elif form == 1:
            lines += [f"    for k in range({r.pick(('i', '5', 'len(x) // 3'))}):", f"        {name} = {name} + x[(i + k) % 13]"]
        elif form == 2:
            lines += [f"    while {name} < {number(r, kind, 0)} and i < 9:", "        i += 3", f"        {name} = {name} + y[i]"]
        else:
            lines.append(f"    {name} = {number(r, kind, 3)}")
    lines.append(f"    return p - q, bool({condition(r, kind, 1)})")
    return "\n".join(lines)


def arrays(dtype):
    x = (np.arange(N) * 7 % 13 - 5).astype(dtype)
    if dtype in FLOATS:
        x = x * np.asarray(0.37).astype(dtype)
        y = np.asarray([0.0, -0.0, 1.5, float("inf"), float("nan"), -2.0, 1e-7, 3.25, 700.0, -1e4, 6.1e-5, 65504.0, float("-inf")]).astype(dtype)
    else:
        y = np.asarray([0, -1, 2, 3, -7, 100, 2**31 - 1, -(2**31), 5, 6, 12345678, -9, 1]).astype(dtype)
    return x, y, x[::-1] * 2


b = np.asarray([True, False, True] * 4 + [False])
bodies = 0
for dtype in INTS + FLOATS:
    x, y, z = arrays(dtype)
    for seed in range(24):
        source = body(seed, "int" if dtype in INTS else "float")
        scope = {"np": np}
        exec(source, scope)
        f = scope["f"]
        plain = []
        raised = None
        try:
            for i in range(N):
                plain.append(f(i, x, y, z, b))
        except Exception as error:
            raised = f"{type(error).__name__}: {error}"
        for target in TARGETS:
            try:
                found, truth = parallel(f, N, x, y, z, b, target=target)
                assert raised is None and found.dtype == plain[0][0].dtype, (source, raised, found.dtype)
                same((target, dtype, seed, source), found, [it[0] for it in plain])
                same((target, dtype, seed, source), truth, [it[1] for it in plain])
                bodies += 1
            except snekpy.StagingError as error:
                print("refused:", str(error).splitlines()[0], source)
            except Exception as error:
                if f"{type(error).__name__}: {error}" != raised:
                    print("raises:", error, raised, source)
print("bodies:", bodies)

# Conversions between all of them; arrays of several axes, in any order; sizes that differ from call to call.
for dtype in INTS + FLOATS + ("bool",):
    x, y = arrays(dtype)[:2]
    for other in INTS + FLOATS + ("bool",):
        if (dtype, other) == ("int64", "float32"):
            continue
        for target in TARGETS:
            same((dtype, other), parallel(lambda i, y: y[i].astype(other), N, y, target=target), y.astype(other))
for target in TARGETS:
    m = np.arange(24.0).astype("float16").reshape(2, 3, 4)
    at = parallel(lambda i, j, k, m: m[i, j, k] + m[i][j][-1] * m.shape[2], (2, 3, 4), m, target=target)
    print(at.shape, at.dtype, bool(np.all(at == m + m[:, :, 3:] * 4)))
    turned = parallel(lambda i, j, m: m[i, j], (4, 3), m[1].T, target=target)
    print(bool(np.all(turned == m[1].T)))
    k = kernel(lambda i, x, w: x[w[i]], 3, np.arange(3).astype("int32"), np.asarray([2, 0, 1]).astype("int32"), target=target)
    print([k(n, np.arange(n).astype("int32") * 2, np.arange(n)[::-1].astype("int32")).tolist() for n in (1, 2, 5)])
    print(parallel(lambda i, s: float(s) + i, 3, np.asarray(2.5).astype("float32"), target=target).tolist())

# How results are stored, and what they are added up to.
half = parallel(lambda i: i * 0.1, 4, dtype="float16")
print(type(half).__name__, half.dtype, half.tolist())
print(parallel(lambda i: i * 2, 4, dtype="int32"), parallel(lambda i, a: a[i] + 1, 2, array("i", [2**31 - 1, 5])))
print(parallel(lambda i, x: x[i] * 3, 4, np.arange(4).astype("int32"), dtype=np.int64))
for target in TARGETS:
    try:
        parallel(lambda i: i * 2**30, 5, dtype="int32", target=target)
    except OverflowError as error:
        print("OverflowError")
    try:
        parallel(lambda i, x: x[i] + x[i + 1], 5, np.zeros(5, dtype="float32"), target=target)
    except IndexError as error:
        print("IndexError:", error)
    print([parallel_sum(lambda i, x: x[i], 7, np.arange(7).astype(dtype), target=target) for dtype in ("int32", "float16", "bool")])
    print(parallel(lambda i, x: x[i] if i > 1 else 0.1, 4, np.arange(4).astype("float32"), dtype="float32", target=target))
