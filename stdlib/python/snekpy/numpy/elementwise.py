"""Elementwise functions that are written over the native ones, and NumPy's names for those."""

import builtins

import _snekpy_numpy as _native
from _snekpy_numpy import ndarray

_f = _native._names()

arccos, arccosh, arcsin, arcsinh = _f["acos"], _f["acosh"], _f["asin"], _f["asinh"]
arctan, arctanh, arctan2 = _f["atan"], _f["atanh"], _f["atan2"]
bitwise_not = invert = _f["bitwise_invert"]
left_shift, right_shift = _f["bitwise_left_shift"], _f["bitwise_right_shift"]
mod, true_divide, fabs = _f["remainder"], _f["divide"], _f["abs"]

__all__ = [
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "arctan2", "bitwise_not", "invert", "left_shift",
    "right_shift", "mod", "true_divide", "fabs", "clip", "conj", "conjugate", "real", "imag", "around", "divmod",
    "deg2rad", "rad2deg", "degrees", "radians", "nan_to_num", "isclose", "allclose", "array_equal", "array_equiv",
    "fmax", "fmin", "where", "sinc", "float_power", "modf", "isneginf", "isposinf", "heaviside", "logaddexp2", "fix",
    "interp", "select", "piecewise", "vectorize", "copyto", "putmask", "gcd", "lcm", "isreal", "bitwise_count", "erf_",
    "logistic_", "array_equal", "frexp", "ldexp", "spacing", "apply_along_axis", "unwrap", "angle",
]
__all__.remove("erf_")
__all__.remove("logistic_")
__all__.remove("bitwise_count")


def _given(x):
    return x if isinstance(x, ndarray) else _native._array(x, None, None)


def _weak(x):
    """As it is given, if that is a number: its dtype is that of what it meets."""
    return x if isinstance(x, (int, float)) else _given(x)


def _out(out, made):
    """What was made; in out, if there is one."""
    if out is None:
        return made
    made = _given(made)
    if out.shape != made.shape:
        raise ValueError(f"the output array has the shape {out.shape}, the result {made.shape}")
    if "bif".index(made.dtype.kind) > "bif".index(out.dtype.kind):
        raise TypeError(f"Cannot cast output from {made.dtype!r} to {out.dtype!r} with casting rule 'same_kind'")
    out[...] = made
    return out


def where(condition, x=None, y=None, /):
    """Elements of x where the condition holds, else of y; with the condition alone, the positions where it holds."""
    if x is None and y is None:
        from .searching import nonzero

        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return _native._where(condition, x, y)


def clip(x, /, min=None, max=None, out=None, *, a_min=None, a_max=None):
    """Not below min and not above max."""
    x = _given(x)
    min, max = (a_min if min is None else min), (a_max if max is None else max)
    made = x if min is None else _f["maximum"](x, min)
    made = made if max is None else _f["minimum"](made, max)
    if made is x:
        made = x.copy()
    if out is not None:
        out[...] = made
        return out
    return made


def around(a, decimals=0, out=None):
    """Rounded to a number of decimals, halves to even."""
    a = _given(a)
    return _out(out, _rounded(a, decimals))


def _rounded(a, decimals):
    if decimals == 0 or a.dtype.kind != "f" and decimals > 0:
        return _f["round"](a)
    scale = 10 ** builtins.abs(decimals)
    if a.dtype.kind == "f":
        return _f["round"](a * scale) / scale if decimals > 0 else _f["round"](a / scale) * scale
    return (_f["round"](a / scale) * scale).astype(a.dtype)


def divmod(x, y, /):
    """Quotients and remainders."""
    return _f["floor_divide"](x, y), _f["remainder"](x, y)


def conj(x, /):
    """The elements themselves: they are real."""
    return _f["positive"](x)


conjugate = conj


def real(val):
    """The elements themselves: they are real."""
    return _given(val)


def imag(val):
    """Zeros: elements are real."""
    val = _given(val)
    return _native._full(val.shape, 0, val.dtype)


def isreal(x):
    """True everywhere."""
    return _f["equal"](_given(x), _given(x)) | True


def angle(z, deg=False):
    """Zero, or pi where an element is negative."""
    made = _f["atan2"](0.0, _given(z))
    return made * 57.29577951308232 if deg else made


def deg2rad(x, /):
    """Degrees to radians."""
    return _given(x) * 0.017453292519943295


def rad2deg(x, /):
    """Radians to degrees."""
    return _given(x) * 57.29577951308232


radians, degrees = deg2rad, rad2deg


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Numbers in the place of NaN and infinities."""
    x = _given(x)
    if x.dtype.kind != "f":
        return x.copy()
    from .types import finfo

    limits = finfo(x.dtype)
    made = _native._where(_f["isnan"](x), nan, x)
    made = _native._where(made == float("inf"), limits.max if posinf is None else posinf, made)
    made = _native._where(made == -float("inf"), limits.min if neginf is None else neginf, made)
    if not copy:
        x[...] = made
        return x
    return made


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether elements differ by at most atol + rtol * abs(b)."""
    a, b = _given(a), _given(b)
    finite = _f["isfinite"](a) & _f["isfinite"](b)
    if b.dtype.kind != "f":
        b = b * 1.0
    near = _f["abs"](a - b) <= atol + rtol * _f["abs"](b)
    made = _native._where(finite, near, a == b)
    if equal_nan:
        made = made | (_f["isnan"](a) & _f["isnan"](b))
    return made


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close."""
    return builtins.bool(_native._reduce("all", isclose(a, b, rtol, atol, equal_nan), None, False))


def array_equal(a1, a2, equal_nan=False):
    """Whether shape and elements are the same."""
    a1, a2 = _given(a1), _given(a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan:
        same = same | (_f["isnan"](a1) & _f["isnan"](a2))
    return builtins.bool(_native._reduce("all", same, None, False))


def array_equiv(a1, a2):
    """Whether elements are the same once the shapes are broadcast."""
    try:
        return builtins.bool(_native._reduce("all", _given(a1) == _given(a2), None, False))
    except ValueError:
        return False


def fmax(x, y, /):
    """The greater; NaN only where both are."""
    return _but_nan(x, y, _f["maximum"])


def _but_nan(x, y, function):
    x, y = _weak(x), _weak(y)
    made = function(x, y)
    if made.dtype.kind != "f":
        return made
    return _native._where(_f["isnan"](y), x, _native._where(_f["isnan"](x), y, made))


def fmin(x, y, /):
    """The lesser; NaN only where both are."""
    return _but_nan(x, y, _f["minimum"])


def sinc(x):
    """sin(pi x) / (pi x)."""
    y = 3.141592653589793 * _given(x)
    # Near zero by its series, which has derivatives there.
    near = _f["abs"](y) < 1.0e-5
    square = y * y
    return _native._where(near, 1.0 - square / 6.0, _f["sin"](y) / _native._where(near, 1.0, y))


def float_power(x, y, /):
    """A power in double precision."""
    return _f["pow"](_given(x).astype("float64"), y)


def modf(x, /):
    """Fraction and whole part."""
    x = _given(x) * 1.0
    whole = _f["trunc"](x)
    fraction = _native._where(_f["isinf"](x), 0.0, x - whole)
    return _f["copysign"](fraction, x), whole


def frexp(x, /):
    """Mantissa and exponent of two."""
    x = _given(x) * 1.0
    safe = _native._where((x == 0) | ~_f["isfinite"](x), 1.0, x)
    exponent = _f["floor"](_f["log2"](_f["abs"](safe))) + 1
    mantissa = safe / 2.0**exponent
    low = _f["abs"](mantissa) < 0.5
    mantissa, exponent = _native._where(low, mantissa * 2, mantissa), _native._where(low, exponent - 1, exponent)
    high = _f["abs"](mantissa) >= 1
    mantissa, exponent = _native._where(high, mantissa / 2, mantissa), _native._where(high, exponent + 1, exponent)
    plain = (x == 0) | ~_f["isfinite"](x)
    return _native._where(plain, x, mantissa), _native._where(plain, 0, exponent).astype("int32")


def ldexp(x1, x2, /):
    """x1 * 2 ** x2."""
    x1, x2 = _given(x1) * 1.0, _given(x2)
    # In steps that no power of two leaves the range of doubles at.
    made, left = x1.astype(_f["float64"]), x2
    for _ in range(3):
        step = clip(left, -900, 900)
        made, left = made * 2.0**step, left - step
    return made.astype(x1.dtype)


def spacing(x, /):
    """The distance to the next number away from zero."""
    x = _given(x) * 1.0
    return _f["nextafter"](x, _f["copysign"](float("inf"), x).astype(x.dtype)) - x


def isneginf(x):
    """Whether elements are minus infinity."""
    return _given(x) == -float("inf")


def isposinf(x):
    """Whether elements are infinity."""
    return _given(x) == float("inf")


def heaviside(x1, x2, /):
    """0 below zero, 1 above, x2 at zero."""
    x1, x2 = _weak(x1), _weak(x2)
    kind = _native._result_type((x1, x2, 1.0))
    x1, x2 = _given(x1).astype(kind), _given(x2).astype(kind)
    made = _native._where(x1 < 0, 0.0, _native._where(x1 == 0, x2, 1.0))
    return _native._where(_f["isnan"](x1), x1, made)


def logaddexp2(x1, x2, /):
    """log2(2 ** x1 + 2 ** x2)."""
    x1, x2 = _weak(x1), _weak(x2)
    ratio = _f["exp2"](-_f["abs"](_f["subtract"](x1, x2)))
    made = _f["maximum"](x1, x2) + _f["log1p"](ratio) * 1.4426950408889634
    # Infinities have no difference.
    return _native._where(_f["equal"](x1, x2), _f["add"](x1, 1.0), made)


def fix(x):
    """Rounded to zero."""
    return _f["trunc"](x)


def gcd(x1, x2, /):
    """Greatest common divisors."""
    import math

    return _whole(math.gcd, x1, x2)


def lcm(x1, x2, /):
    """Least common multiples."""
    import math

    return _whole(math.lcm, x1, x2)


def _whole(function, x1, x2):
    x1, x2 = _weak(x1), _weak(x2)
    return vectorize(function, otypes=[_native._result_type((x1, x2))])(x1, x2)


def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    """Differences of neighbours brought below half a period."""
    from .statistics import cumulative_sum, diff

    p = _given(p) * 1.0
    step = diff(p, axis=axis)
    wrapped = _f["remainder"](step + period / 2, period) - period / 2
    wrapped = _native._where((wrapped == -period / 2) & (step > 0), period / 2, wrapped)
    fix_up = _native._where(_f["abs"](step) < (period / 2 if discont is None else discont), 0.0, wrapped - step)
    made = p.copy()
    at = [slice(None)] * p.ndim
    at[axis] = slice(1, None)
    made[tuple(at)] += cumulative_sum(fix_up, axis=axis)
    return made


def interp(x, xp, fp, left=None, right=None, period=None):
    """Linear interpolation between points with growing coordinates."""
    if period is not None:
        raise TypeError("interp: `period` is not supported")
    x, xp, fp = _given(x) * 1.0, _given(xp) * 1.0, _given(fp) * 1.0
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    at = _native._searchsorted(xp, x, True)
    high = clip(at, 1, len(xp) - 1)
    low = high - 1
    slope = (fp[high] - fp[low]) / (xp[high] - xp[low])
    made = slope * (x - xp[low]) + fp[low]
    made = _native._where(x == xp[-1], fp[-1], made)
    made = _native._where(x < xp[0], fp[0] if left is None else left, made)
    made = _native._where(x > xp[-1], fp[-1] if right is None else right, made)
    return _native._where(_f["isnan"](x), x, made)


def select(condlist, choicelist, default=0):
    """For each element the choice that belongs to the first condition that holds."""
    made = _weak(default)
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        made = _native._where(condition, choice, made)
    return _given(made)


def piecewise(x, condlist, funclist, *args, **kw):
    """For each element the function that belongs to the last condition that holds."""
    x = _given(x)
    conditions = [_given(it) for it in condlist]
    if len(funclist) == len(conditions) + 1:
        none = ~conditions[0]
        for it in conditions[1:]:
            none = none & ~it
        conditions.append(none)
    made = x * 0
    for condition, function in zip(conditions, funclist):
        made[condition] = function(x[condition], *args, **kw) if callable(function) else function
    return made


class vectorize:
    """A function of numbers as a function of arrays. A loop: convenient, not fast."""

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if signature is not None or excluded:
            raise TypeError("vectorize: `signature` and `excluded` are not supported")
        self.pyfunc, self.otypes, self.__doc__ = pyfunc, otypes, doc or pyfunc.__doc__

    def __call__(self, *args):
        args = [_given(it) for it in args]
        shape = _native._broadcast_shapes([it.shape for it in args])
        flat = [_native._broadcast_to(it, shape).reshape(-1).tolist() for it in args]
        results = [self.pyfunc(*items) for items in zip(*flat)]
        if results and isinstance(results[0], tuple):
            types = self.otypes or [None] * len(results[0])
            return tuple(_native._array(list(it), t, None).reshape(shape) for it, t in zip(zip(*results), types))
        if not results and not self.otypes:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        return _native._array(results, self.otypes[0] if self.otypes else None, None).reshape(shape)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """The function of each line along an axis."""
    from .manipulation import moveaxis, stack

    arr = moveaxis(_given(arr), axis, -1)
    lines = arr.reshape((-1, arr.shape[-1]))
    results = [_given(func1d(line, *args, **kwargs)) for line in lines]
    made = stack(results).reshape(arr.shape[:-1] + results[0].shape)
    return moveaxis(made, -1, axis) if results[0].ndim == 1 else made


def copyto(dst, src, casting="same_kind", where=True):
    """Writes src into dst."""
    kinds, src = "bif", _given(src)
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '{casting}')")
    same = src.dtype == dst.dtype
    allowed = {
        "no": same,
        "equiv": same,
        "safe": same or _native._result_type([src, dst]) == dst.dtype,
        "same_kind": kinds.index(src.dtype.kind) <= kinds.index(dst.dtype.kind),
        "unsafe": True,
    }
    if not allowed[casting]:
        raise TypeError(f"Cannot cast array data from {src.dtype!r} to {dst.dtype!r} according to the rule '{casting}'")
    if where is True:
        dst[...] = src
    else:
        dst[...] = _native._where(where, src, dst)


def putmask(a, mask, values):
    """Writes values to where the mask holds."""
    values = _given(values).reshape(-1)
    at = _native._nonzero(_given(mask).reshape(-1))[0]
    from .searching import unravel_index

    a[unravel_index(at, a.shape)] = values[at % len(values)]
