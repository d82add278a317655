# Lines of more elements than one kernel puts in order, adds up or searches by itself, on a device: as on the CPU, by bits. So is
# what is written and added at many positions.
#@ reference snekpy: CPython has no devices
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import grad, stage

DEVICE = "simt"
warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


def same(name, there, here):
    assert there.device == DEVICE and there.dtype == here.dtype and there.shape == here.shape, (name, there.device, there.shape)
    found = there.to("cpu")
    if found.tobytes() != here.tobytes() and not bool(np.all((found == here) & (np.signbit(found) == np.signbit(here)) | (found != found) & (here != here))):
        print("differs:", name, here.dtype, found, here)


def everywhere(name, function, *args):
    there = [it.to(DEVICE) for it in args]
    same(name, function(*there), function(*args))
    same(name + ", staged", stage(function, strict=True)(*there), function(*args))


# Order: of several runs, with a last one that is shorter, and with equal elements, zeros of both signs and NaNs.
def some(dtype, *dims):
    count = int(np.prod(np.asarray(dims)))
    x = ((np.arange(count) * 7919) % (count // 3 + 2)).astype(dtype) - 9
    if dtype.startswith("int"):
        return x.reshape(dims)
    x[::11] = float("nan")
    x[::7] = -0.0
    x[3::29] = float("-inf")
    return (x * 0.25).reshape(dims)


for dtype in ("float64", "float32", "float16", "bfloat16", "int64", "int32"):
    for dims in ((2, 33), (1, 64), (1, 150)):
        here = some(dtype, *dims)
        there = here.to(DEVICE)
        for descending in (False, True):
            same(f"sort of {dims}", np.sort(there, descending=descending), np.sort(here, descending=descending))
            same(f"argsort of {dims}", np.argsort(there.T, axis=0, descending=descending), np.argsort(here.T, axis=0, descending=descending))
everywhere("sort", lambda x: np.sort(x, axis=0), some("float32", 70, 3))

# Running sums: pieces of lines one after the other, and windows of integers, which wrap.
for dtype in ("float64", "float32", "bfloat16", "int64", "int32"):
    here = (np.sin(np.arange(1100) * 1.3) * 3 + 1.5).reshape(2, 550)
    here = (here * 1e5).astype(dtype) if dtype.startswith("int") else here.astype(dtype)
    there = here.to(DEVICE)
    same("cumsum", np.cumsum(there, axis=1), np.cumsum(here, axis=1))
    same("cumprod", np.cumprod(there, axis=1), np.cumprod(here, axis=1))
many = np.sin(np.arange(20 * 4100)).astype("float32").reshape(20, 4100)
same("many lines", np.cumsum(many.to(DEVICE), axis=0), np.cumsum(many, axis=0))
for dtype in ("float32", "int64"):
    one = np.arange(3).astype(dtype).reshape(1, 3).to(DEVICE)
    sums, order = np.cumsum(one, axis=0), np.sort(one, axis=0)
    one += 5
    same("lines of one are copies", sums + order, np.arange(3).astype(dtype).reshape(1, 3) * 2)
everywhere("cumsum", lambda x: np.cumsum(x)[::97] * 2, np.cos(np.arange(600.0)))

# Positions: many, and several for one place.
x, at = np.sin(np.arange(900.0)).reshape(300, 3), (np.arange(300) * 37) % 50 - 25
for dtype in ("float64", "float32", "float16", "int32"):
    value = (x * 8).astype(dtype)
    a, b = np.zeros((25, 3), dtype=dtype).to(DEVICE), np.zeros((25, 3), dtype=dtype)
    a[at.to(DEVICE)], b[at] = value.to(DEVICE), value
    same("rows", a, b)
    a[at, at % 3], b[at, at % 3] = value[:, 0].to(DEVICE), value[:, 0]
    same("elements", a, b)
    a[np.asarray([], dtype="int64")] = 7
    same("none of them", a, b)
for dtype in ("float64", "float32"):
    table, value = np.zeros((25, 3), dtype=dtype), x.astype(dtype)
    everywhere("added", lambda t, at, v: grad(lambda t: (t[at] * v).sum())(t), table, at, value)
everywhere("sorted and back", lambda x: grad(lambda x: (np.sort(x) * np.arange(200.0)).sum())(x), np.cos(np.arange(200.0)))
for wrong in (np.asarray([1, 25]), np.asarray([-26])):
    try:
        a[wrong.to(DEVICE)] = 1
    except IndexError as error:
        print(error)
same("nothing is written then", a, b)

# The greatest and the least: in pieces, with the first of equal ones, and of NaNs.
line = ((np.arange(66000) * 7919) % 32003).astype("float32")
for change in (None, 40000, 65999, 5):
    if change is not None:
        line[change] = float("nan") if change == 40000 else 1e9
    for f in (np.argmax, np.argmin):
        same(f"{f.__name__} with {change}", f(line.to(DEVICE)), f(line))
        same(f"{f.__name__} of rows", f(line.reshape(2, 33000).to(DEVICE), axis=1), f(line.reshape(2, 33000), axis=1))

# Calls that are begun again have the order of their own elements.
ordered = stage(lambda x, at, v: (np.sort(x), np.argsort(x)[::-1], np.cumsum(x), grad(lambda t: (t[at] * v).sum())(x)))
for i in range(6):
    here = np.sin(np.arange(90.0) * (i + 1)), np.asarray([3, 1, 3, 40, 0]), np.arange(5.0) + i
    for found, expected in zip(ordered(*[it.to(DEVICE) for it in here]), ordered(*here)):
        same(f"call {i}", found, expected)
made = ordered.stats()["specialisations"]
print("are begun again", sum(it.get("replayed", 0) for it in made) >= 3 or not made)
