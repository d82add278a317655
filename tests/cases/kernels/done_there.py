# What a device does although it is no function of single elements: triangles, searches, powers of integers, the next numbers of
# half precision, what is not zero, sets, products of vectors, and folds of nothing. As on the CPU, by bits.
#@ reference snekpy: CPython has no devices
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import grad, stage

DEVICE = "simt"
warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


def same(name, there, here):
    if isinstance(here, tuple):
        assert len(there) == len(here), name
        for one, other in zip(there, here):
            same(name, one, other)
        return
    assert there.device == DEVICE and there.dtype == here.dtype and there.shape == here.shape, (name, there.device, there.shape)
    found = there.to("cpu")
    if found.tobytes() != here.tobytes() and not bool(np.all((found == here) & (np.signbit(found) == np.signbit(here)) | (found != found) & (here != here))):
        print("differs:", name, here.dtype, found, here)


def plain(name, function, *args):
    same(name, function(*(it.to(DEVICE) for it in args)), function(*args))


def everywhere(name, function, *args):
    plain(name, function, *args)
    same(name + ", staged", stage(function, strict=True)(*(it.to(DEVICE) for it in args)), function(*args))


DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "bool")
numbers = np.asarray([0.1, -0.0, 2.5, float("nan"), 0.0, -3.0, 2.5, float("inf"), 7.25, -1e-3, float("-inf"), 0.1])

# Triangles: of matrices and of many, alone and with what comes before and behind.
for dtype in DTYPES:
    x = (np.arange(24) * 5 % 7 - 2).reshape(2, 3, 4).astype(dtype)
    for k in (-(2**62), -4, -1, 0, 2, 5, 2**62):
        plain(f"tril {k}", lambda x: np.tril(x, k), x)
        plain(f"triu {k}", lambda x: np.triu(x, k), x.transpose(2, 0, 1))
x = np.sin(np.arange(60.0)).astype("float32").reshape(3, 4, 5)
everywhere("in a row", lambda x: np.tril(np.exp(x), 1).sum(axis=-1) - np.triu(x * 2)[..., 0], x)
everywhere("and back", lambda x: grad(lambda x: (np.tril(x) ** 2).sum())(x), x)
plain("nothing", lambda x: np.tril(x), x[:, :0])


def causal(x):
    scores = np.where(np.tri(4, 4, dtype=bool), x[:, :, :4], -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


everywhere("attention", causal, x)

# Searches, also where one of the two lies on the CPU.
for dtype in DTYPES:
    values = numbers if dtype.startswith(("f", "b")) else np.where(np.isfinite(numbers), numbers, 5.0)
    line, values = np.sort(values.astype(dtype)), np.roll(values, 3).astype(dtype).reshape(3, 4)
    for side in ("left", "right"):
        plain("search", lambda x, y: np.searchsorted(x, y, side=side), line, values)
        same("search in one here", np.searchsorted(line, values.to(DEVICE), side=side), np.searchsorted(line, values, side=side))
        same("search of one here", np.searchsorted(line.to(DEVICE), values, side=side), np.searchsorted(line, values, side=side))
    plain("nothing to find", lambda x, y: np.searchsorted(x, y[:0]), line, values)
    plain("nowhere to find it", lambda x, y: np.searchsorted(x[:0], y), line, values)
everywhere("search", lambda x, y: np.searchsorted(x, y * 2) + 1, np.arange(100.0), numbers)
same("a table here", numbers[np.asarray([3, -1, 0]).to(DEVICE)], numbers[np.asarray([3, -1, 0])])
everywhere("a table", lambda t, at: t[at, 0] + np.asarray([1.0, 2.0, 3.0])[at], numbers.reshape(4, 3), np.asarray([2, -1, 1, 1]))

# Powers of integers.
for dtype in ("int64", "int32"):
    x, y = np.asarray([0, 1, -1, 2, -3, 7, 2**31 - 1, -(2**31)]).astype(dtype), np.asarray([0, 1, 2, 3, 31, 62, 63, 2**31 - 1]).astype(dtype)
    everywhere("powers", lambda x, y: x[:, None] ** y, x, y)
    everywhere("cubes", lambda x: x**3 - 3**(x % 5) + np.square(x), x)
    here, there = x.copy(), x.to(DEVICE)
    here **= y
    there **= y
    same("in place", there, here)
    for wrong in (lambda: there**-1, lambda: there**there, lambda: np.pow(there, -y), lambda: stage(lambda x: x**x)(there)):
        try:
            print(wrong())
        except ValueError as error:
            print(error)
    try:
        there **= x
    except ValueError:
        same("nothing is written", there, here)

# The next number of half precision.
for dtype in ("float16", "bfloat16"):
    x = np.asarray([0.0, -0.0, 1.0, -1.0, 65504.0, 3.3895e38, float("inf"), float("-inf"), float("nan"), 2.0**-24, -(2.0**-24), 2.0**-14, 9.2e-41, 0.1]).astype(dtype)
    everywhere("nextafter", lambda x, y: np.nextafter(x[:, None], y), x, x)
    here, there = x.copy(), x.to(DEVICE)
    same("into another", np.nextafter(there, there[::-1], out=there), np.nextafter(here, here[::-1], out=here))

def written(x, mask):
    x[mask] = x[mask] * 2
    return x


# What is not zero. One number is read: how many there are.
for x in (numbers, np.isnan(numbers), (np.arange(60) % 7 - 3).reshape(3, 4, 5), np.zeros((2, 3)), np.zeros((0, 3)), np.ones(70, dtype="int32")):
    plain("nonzero", np.nonzero, x)
    plain("argwhere", np.argwhere, x)
    plain("flatnonzero", np.flatnonzero, x)
    plain("by a mask", lambda x: x[x != 0], x)
    plain("written by a mask", lambda x: written(x.copy(), x != 0), x)


x = (np.arange(90) * 37 % 11 - 4).reshape(9, 10)
for x in (x, x.astype("float32") / 4, x[:1, :1], x[:0]):
    for f in (np.unique_values, np.unique_counts, np.unique_inverse, np.unique_all):
        plain("sets", f, x)
plain("sets of rows", lambda x: np.unique(x % 3, axis=0, return_index=True, return_inverse=True, return_counts=True), np.arange(90).reshape(30, 3) // 4)
plain("sets with NaN", lambda x: np.unique(x, return_counts=True), np.concatenate([numbers, numbers]))
plain("isin", lambda x, y: np.isin(x, y), x.reshape(-1), numbers)
plain("isin of numbers", lambda x: np.isin(x, [1, 2.5]), numbers)

# Products of vectors: sums of rounded products, in the order of sums. Those of integers are exact.
for dtype in ("int64", "int32"):
    x = (np.arange(60) * 7 % 23 - 11).astype(dtype).reshape(4, 15)
    everywhere("vecdot", lambda x, y: np.vecdot(x, y), x, x[:1] * 3)
    everywhere("@", lambda x: x[0] @ x[1], x)
for dtype in ("float64", "float32", "float16", "bfloat16"):
    x = np.sin(np.arange(60.0)).astype(dtype).reshape(4, 15)
    found = np.vecdot(x.to(DEVICE), x[1].to(DEVICE))
    print(found.device == DEVICE, found.dtype == dtype, bool(np.allclose(found.to("cpu"), np.vecdot(x, x[1]), rtol=8 * np.finfo(dtype).eps, atol=np.finfo(dtype).eps)))

# Folds of nothing, and of no axis.
for dtype in DTYPES:
    one, none = np.asarray(2.5).astype(dtype), np.zeros((3, 0, 2), dtype=dtype)
    for name in ("sum", "prod", "any", "all", "count_nonzero", "mean"):
        f = getattr(np, name)
        plain(name, f, one)
        for axis in (None, 0, 1, (0, 1)):
            if name != "mean":
                plain(f"{name} {axis}", lambda x: f(x, axis=axis), none)
    for name in ("min", "max", "argmin", "argmax"):
        plain(name, getattr(np, name), one)
        plain(name + " of nothing", lambda x: getattr(np, name)(x, axis=0), none)
for f in (np.min, np.max, np.argmin, np.argmax):
    try:
        f(none.to(DEVICE))
    except ValueError as error:
        print(error)
everywhere("no axis", lambda x: x[0].sum() + x[1].max() * np.all(x[2]), numbers[:3])

plain("a diagonal", lambda x: np.diag(x, 1) + np.diagflat(x, 1), numbers)
plain("padded", lambda x: np.pad(x, ((1, 0), (2, 3)), constant_values=7), numbers.reshape(3, 4))
print(len(np.zeros((4, 0)).to(DEVICE)[4:].to("cpu")), "done")
