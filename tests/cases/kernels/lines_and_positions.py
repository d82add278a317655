# Running sums, order, and writing and adding at positions, on a device: as on the CPU, by bits.
#@ reference snekpy: CPython has no devices
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import grad, stage

DEVICE = "simt"
warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


def same(name, there, here):
    assert there.device == DEVICE and there.dtype == here.dtype and there.shape == here.shape, (name, there.device)
    found = there.to("cpu")
    if found.tobytes() != here.tobytes() and not bool(np.all((found == here) | (found != found) & (here != here))):
        print("differs:", name, here.dtype, found, here)


SPECIAL = [0.1, -0.0, 2.5, float("nan"), 0.0, -3.0, 2.5, float("inf"), 7.25, -1e-3, float("-inf"), 0.1]
x = np.asarray([SPECIAL, SPECIAL[::-1], [(i * 7) % 5 - 2.0 for i in range(12)]])
for dtype in ("float64", "float32", "float16", "bfloat16", "int64", "int32"):
    here = (np.where(np.isfinite(x), x, 3.0) * 3 if dtype.startswith("int") else x).astype(dtype)
    there = here.to(DEVICE)
    for axis in (0, 1):
        same("cumsum", np.cumsum(there, axis=axis), np.cumsum(here, axis=axis))
        same("cumprod", np.cumprod(there, axis=axis), np.cumprod(here, axis=axis))
        for descending in (False, True):
            same("sort", np.sort(there, axis=axis, descending=descending), np.sort(here, axis=axis, descending=descending))
            same("argsort", np.argsort(there, axis=axis, descending=descending), np.argsort(here, axis=axis, descending=descending))
    same("flat", np.sort(there[1]), np.sort(here[1]))
    # Where a position is there twice, the last one stays.
    for index in (np.asarray([2, 0, 2, -1]), (np.asarray([0, 2, 0]), np.asarray([5, 1, 5])), (slice(None), np.asarray([3, 3, -1]))):
        a, b = there.copy(), here.copy()
        value = (np.arange(here[index].size).reshape(here[index].shape) * 2).astype(dtype)
        a[index] = value.to(DEVICE)
        b[index] = value
        same("positions", a, b)
        a[index] = 1
        b[index] = 1
        same("a number at positions", a, b)
flags = np.asarray([True, False, True, True])
same("sort of flags", np.sort(flags.to(DEVICE)), np.sort(flags))
same("nothing", np.cumsum(np.zeros((0, 3)).to(DEVICE), axis=0), np.cumsum(np.zeros((0, 3)), axis=0))
for wrong in (np.asarray([0, 3]), np.asarray([-4])):
    try:
        there[wrong] = 0
    except IndexError as error:
        print(error)
view = np.zeros((4, 6)).to(DEVICE)
view[::2, 1::2][np.asarray([1, 0]), np.asarray([2, 0])] = np.asarray([5.0, 6.0])
print(view.to("cpu").tolist())


# An embedding learns on the device: its rows are used more than once.
def loss(table, at, w):
    rows = table[at]
    return (np.cumsum(rows, axis=0) * w).sum() + (np.sort(rows, axis=1) ** 2).sum()


table, at, w = np.sin(np.arange(15.0)).reshape(5, 3), np.asarray([4, 0, 4, -1, 2, 4]), np.cos(np.arange(18.0)).reshape(6, 3)


@stage(target=DEVICE, strict=True)
def step(table, at, w):
    return table - 0.1 * grad(loss)(table, at, w)


here, there = table, table
for _ in range(3):
    here, there = here - 0.1 * grad(loss)(here, at, w), step(there, at, w)
print(there.device, np.allclose(there.to("cpu"), here, rtol=1e-12))
g = grad(lambda t: (t[at] * w).sum())
same("what is added at positions", g(table.to(DEVICE)), g(table))
