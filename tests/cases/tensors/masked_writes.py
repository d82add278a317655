# A number written where a mask says so: the mask is computed in staged code, or lies on a device.
#@ reference snekpy: CPython has no devices
import snekpy.numpy as np
from snekpy import stage


def negative(x):
    x[x < 0] = 0
    return x


def rows(x, y):
    x[y > 1] = 7.5
    return x * 1


def wraps(x, value):
    x[x > 2] = value
    return x


def itself(x):
    m = x > 0
    m[m] = False
    return m


def other_shape(x, y):
    x[y > 0] = 1
    return x


def several(x):
    x[x > 1] = np.asarray([1.0, 2.0])
    return x


def numbers(*dims, dtype="float64"):
    size = 1
    for dim in dims:
        size *= dim
    return (np.arange(size) % 5 - 2.0).reshape(*dims).astype(dtype)


nan = np.asarray([float("nan"), -1.0, -0.0, 2.0])
cases = [
    (negative, lambda: [numbers(3, 4)]),
    (negative, lambda: [numbers(3, 4).T[::2]]),
    (negative, lambda: [nan.copy()]),
    (negative, lambda: [numbers(0)]),
    (rows, lambda: [numbers(5, 2, 3), numbers(5)]),
    (rows, lambda: [numbers(5, 2, 3), numbers(5, 2)]),
    (wraps, lambda: [numbers(6, dtype="int32") * 3, 2.9]),
    (wraps, lambda: [numbers(6, dtype="float16") * 3, 1e9]),
    (wraps, lambda: [numbers(6) * 3, np.asarray(5)]),
    (itself, lambda: [numbers(7)]),
    (other_shape, lambda: [numbers(4), numbers(5)]),
    (several, lambda: [numbers(9)]),
]
for device in ("cpu", "simt"):
    for function, given in cases:
        results = []
        for call in (function, stage(function), stage(function)):
            args = [it.to(device) if isinstance(it, np.ndarray) else it for it in given()]
            try:
                made = call(*args).to("cpu")
                results.append((made.dtype, str(made.tolist()), str(args[0].to("cpu").tolist())))
            except Exception as error:
                results.append((type(error), str(error)))
        print(device, function.__name__, results[0] == results[1] == results[2], *results[0][:2])
