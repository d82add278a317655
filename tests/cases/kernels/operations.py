# Every function of elements that the library has, in every dtype in which it is defined, in kernels: the library's own list says
# which there are. Then what is particular: distances and exponents at the edges, arrays that are no arguments, empty arrays.
#@ reference snekpy: CPython has no arrays of these dtypes
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import StagingError, parallel

warnings.simplefilter("error", snekpy.ImplicitCopyWarning)
DTYPES = ("bool", "int32", "int64", "float16", "bfloat16", "float32", "float64")
N = 9
# The next number of half precision is found among all of them.
REFUSED = {"nextafter": ("bool", "float16", "bfloat16")}
FIRST, SECOND = [0, 1, -1, 2, 3, -7, 0.5, 5, -2.5], [1, 0, -3, 2, 0.5, 3, -1, 40, 0.25]


def defined(f, args):
    """What the function has for each pair of elements; None if the library has it not for this dtype."""
    try:
        expected = [f(*(x[i] for x in args)) for i in range(N)]
    except ValueError:
        # A negative power of an integer: the kernel raises it, too.
        return ValueError
    except TypeError:
        return None
    return expected if all(isinstance(it, np.ndarray) and it.ndim == 0 for it in expected) else None


def is_same(found, expected, exactly):
    expected = np.stack([np.asarray(it) for it in expected])
    if found.dtype != expected.dtype:
        return False
    if found.dtype.kind != "f":
        return found.tobytes() == expected.tobytes()
    if exactly:
        near = (found == expected) & (np.signbit(found) == np.signbit(expected))
    else:
        # A device has functions of doubles of its own, and some of singles are rounded from them.
        near = np.isclose(found.astype("float64"), expected.astype("float64"), rtol=2 * np.finfo(found.dtype).eps, atol=1e-15)
    return bool(np.all(near | np.isnan(found) & np.isnan(expected)))


def check(name, f, args, target):
    expected = defined(f, args)
    if expected is None:
        return
    body = (lambda i, x: f(x[i])) if len(args) == 1 else (lambda i, x, y: f(x[i], y[i]))
    try:
        found = parallel(body, N, *args, target=target)
    except StagingError:
        if args[0].dtype.name not in REFUSED.get(name, ()):
            print("refuses:", name, target, args[0].dtype)
    except ValueError:
        if expected is not ValueError:
            print("raises:", name, target, args[0].dtype)
    else:
        if expected is ValueError or not is_same(found, expected, target == "cpu"):
            print("differs:", name, target, args[0].dtype, found, expected)


functions = {it.__name__: it for it in vars(np).values() if isinstance(it, np.ufunc)}
print(len(functions) > 60)
for target in ("cpu", "simt"):
    for name, f in sorted(functions.items()):
        for dtype in DTYPES:
            x, y = (np.asarray(it).astype(dtype) for it in (FIRST, SECOND))
            check(name, f, (x, y)[: f.nin], target)

edges = [0, 1, -1, 2**31 - 1, -(2**31), 3, -7, 2**62 + 2**38 + 1, -(2**62) - 2**38 - 1, 2**53 + 1, 2**63 - 1, -(2**63), 2**24 + 1]
steps = [0, 1, 31, 32, 33, 63, 64, 65, -1, 2**40]


def shifted(i, j, x, by):
    return x[i] << by[j], x[i] >> by[j], x[i] << j, 3 >> by[j]


def powers(i, j, x, by):
    return x[i] ** max(by[j], 0) if j < 8 else x[i] ** j


def conversions(i, x):
    return x[i].astype("float32"), x[i].astype("float16"), x[i].astype("bfloat16"), np.sign(x[i]), np.float32(1.5) * i + x[i], np.float32(i), np.isnan(x[i])


def tables(i):
    return weights[i % 3, 1] * scale[i] + offsets[-1 - i]


def column(f, shape, args, target):
    """What the kernel gives, and the loop."""
    found = parallel(f, shape, *args, target=target)
    indices = [(i, j) for i in range(shape[0]) for j in range(shape[1])] if isinstance(shape, tuple) else [(i,) for i in range(shape)]
    rows = [f(*index, *args) for index in indices]
    found = found if isinstance(found, tuple) else (found,)
    for position, it in enumerate(found):
        expected = [row[position] if isinstance(row, tuple) else row for row in rows]
        expected = np.stack([np.asarray(it) for it in expected]).reshape(it.shape)
        if it.dtype != expected.dtype or it.tobytes() != expected.tobytes():
            print("differs:", f.__name__, target, position, it, expected)


weights = np.asarray([[1.5, 2.5], [3.0, -1.0], [0.25, 4.0]]).astype("float32")
scale = np.arange(5).astype("float32")
offsets = np.arange(7).astype("float16")
for target in ("cpu", "simt"):
    for dtype in ("int32", "int64"):
        x, by = np.asarray(edges).astype(dtype), np.asarray(steps).astype(dtype)
        column(shifted, (13, 10), (x, by), target)
        column(powers, (13, 10), (x, by), target)
        column(conversions, 13, (x,), target)
    column(tables, 5, (), target)
    # What is written to an array that is no argument is read by the next call.
    scale[1] = 10.0
    column(tables, 5, (), target)
    for dtype in DTYPES:
        empty = np.zeros(0, dtype=dtype)
        for x in (empty, empty.reshape(0, 3), empty.reshape(3, 0)):
            body = (lambda i, x: x[i]) if x.ndim == 1 else (lambda i, x: x[1, i]) if len(x) else (lambda i, x: x[i, 1])
            found = parallel(body, 0, x, target=target)
            if found.shape != (0,):
                print("differs:", target, found)
            try:
                parallel(body, 2, x, target=target)
            except IndexError as error:
                message = str(error)
        print(target, dtype, message)
