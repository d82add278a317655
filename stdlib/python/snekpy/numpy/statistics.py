"""Reductions, running reductions and what is computed of them."""

import builtins

import _snekpy_numpy as _native
from _snekpy_numpy import ndarray

from .elementwise import _given, _out
from .manipulation import _axes, _axis, concat, expand_dims, moveaxis

_f = _native._names()
_FLOAT, _INT = _f["float64"], _f["int64"]

__all__ = [
    "all", "any", "average", "bincount", "corrcoef", "count_nonzero", "cov", "cumprod", "cumsum", "cumulative_prod",
    "cumulative_sum", "diff", "ediff1d", "gradient", "histogram", "max", "mean", "median", "min", "nanargmax",
    "nanargmin", "nanmax", "nanmean", "nanmedian", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "percentile",
    "prod", "ptp", "nanquantile", "nanpercentile", "nancumsum", "nancumprod", "histogram2d", "quantile", "std", "sum", "trapezoid", "var", "amax", "amin", "digitize", "convolve", "correlate",
]


def _reduce(name, x, axis, keepdims, out=None, initial=None, where=True, dtype=None):
    x = x if isinstance(x, ndarray) else _given(x)
    if out is initial is dtype is None and where is True:
        return _native._reduce(name, x, axis, keepdims)
    if dtype is not None:
        x = x.astype(dtype, copy=False)
    if where is not True:
        if name in ("sum", "any", "count_nonzero"):
            x = _native._where(where, x, 0).astype(x.dtype)
        elif name in ("prod", "all"):
            x = _native._where(where, x, 1).astype(x.dtype)
        else:
            if initial is None:
                raise ValueError(
                    f"reduction operation '{name}imum' does not have an identity, so to use a where mask one has to "
                    "specify 'initial'"
                )
            x = _native._where(where, x, initial)
    if initial is not None and name in ("max", "min") and 0 in x.shape:
        axes = _axes(axis, x.ndim)
        shape = [1 if at in axes else n for at, n in enumerate(x.shape)]
        made = _native._full(shape, initial, x.dtype)
        made = made if keepdims else made[tuple(0 if at in axes else slice(None) for at in range(x.ndim))]
    else:
        made = _native._reduce(name, x, axis, keepdims)
        if initial is not None:
            join = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}[name]
            made = _f[join](made, initial)
    if dtype is not None and made.dtype != dtype:
        made = made.astype(dtype)
    if out is not None:
        out[...] = made
        return out
    return made


def sum(x, /, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """All added."""
    return _reduce("sum", x, axis, keepdims, out, initial, where, dtype)


def prod(x, /, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """All multiplied."""
    return _reduce("prod", x, axis, keepdims, out, initial, where, dtype)


def max(x, /, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The greatest; NaN if one is."""
    return _reduce("max", x, axis, keepdims, out, initial, where)


def min(x, /, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The least; NaN if one is."""
    return _reduce("min", x, axis, keepdims, out, initial, where)


amax, amin = max, min


def all(x, /, axis=None, out=None, keepdims=False, *, where=True):
    """Whether all are not zero."""
    return _reduce("all", x, axis, keepdims, out, None, where)


def any(x, /, axis=None, out=None, keepdims=False, *, where=True):
    """Whether one at least is not zero."""
    return _reduce("any", x, axis, keepdims, out, None, where)


def count_nonzero(x, /, axis=None, keepdims=False):
    """How many are not zero."""
    return _native._reduce("count_nonzero", _given(x), axis, keepdims)


def ptp(a, axis=None, out=None, keepdims=False):
    """The greatest less the least."""
    return max(a, axis, out, keepdims) - min(a, axis, None, keepdims)


def _count(x, axis):
    count = 1
    for at in _axes(axis, x.ndim):
        count *= x.shape[at]
    return count


def _float(x, dtype=None):
    x = _given(x)
    if dtype is not None:
        return x.astype(dtype, copy=False)
    return x if x.dtype.kind == "f" else x.astype(_FLOAT)


def mean(x, /, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The sum through the number."""
    own = _given(x).dtype
    x = _float(x, dtype)
    small = own.itemsize == 2 and dtype is None and own.kind == "f"
    if small:
        x = x.astype("float32")
    if where is not True:
        count = _native._reduce("sum", _native._broadcast_to(_given(where), x.shape), axis, keepdims)
        made = sum(x, axis, where=where, keepdims=keepdims) / count.astype(x.dtype)
    else:
        made = _native._reduce("sum", x, axis, keepdims) / _count(x, axis) if _count(x, axis) else (
            _native._reduce("sum", x, axis, keepdims) * float("nan")
        )
    if small:
        made = made.astype(own)
    elif dtype is not None:
        made = made.astype(dtype, copy=False)
    if out is not None:
        out[...] = made
        return out
    return made


def var(x, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None, where=True, mean=None):
    """The mean of the squares of the distances from the mean."""
    ddof = ddof if correction is None else correction
    own = _given(x).dtype
    x = _float(x, dtype)
    small = own.itemsize == 2 and dtype is None and own.kind == "f"
    if small:
        x = x.astype("float32")
    if where is not True:
        raise TypeError("var: `where` is not supported")
    count = _count(x, axis)
    total = _native._reduce("sum", x, axis, True)
    middle = mean if mean is not None else total / count if count else total * float("nan")
    squares = _native._reduce("sum", _f["square"](x - middle), axis, keepdims)
    left = builtins.max(count - ddof, 0)
    made = squares / left if left else squares / _native._array(0.0, squares.dtype, None)
    if small:
        made = made.astype(own)
    if out is not None:
        out[...] = made
        return out
    return made


def std(x, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None, where=True, mean=None):
    """The root of the variance."""
    made = _f["sqrt"](var(x, axis, dtype, None, ddof, keepdims, correction=correction, where=where, mean=mean))
    if out is not None:
        out[...] = made
        return out
    return made


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The mean with weights."""
    a = _given(a)
    if weights is None:
        made = mean(a, axis, keepdims=keepdims)
        return (made, made * 0 + _count(a, axis)) if returned else made
    weights = _given(weights)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        weights = weights.reshape([n if at in _axes(axis, a.ndim) else 1 for at, n in enumerate(a.shape)])
        weights = _native._broadcast_to(weights, a.shape)
    total = sum(weights, axis, keepdims=keepdims)
    if all(total == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    made = sum(a * weights, axis, keepdims=keepdims) / total
    return (made, total) if returned else made


def _cumulative(name, x, axis, dtype, include_initial, out=None):
    x = _given(x)
    if axis is None:
        if x.ndim != 1:
            if not include_initial and out is None and x.ndim == 0:
                x = x.reshape(1)
            elif x.ndim > 1:
                raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    if dtype is not None:
        x = x.astype(dtype, copy=False)
    made = _native._scan(name, x, axis)
    if dtype is not None:
        made = made.astype(dtype, copy=False)
    if include_initial:
        axis = _axis(axis, x.ndim)
        shape = list(made.shape)
        shape[axis] = 1
        made = concat([_native._full(shape, 0 if name == "cumulative_sum" else 1, made.dtype), made], axis)
    if out is not None:
        out[...] = made
        return out
    return made


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The sums so far."""
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial, out)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The products so far."""
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial, out)


def cumsum(a, axis=None, dtype=None, out=None):
    """The sums so far; of all elements in one line without an axis."""
    a = _given(a)
    if axis is not None and a.ndim == 0:
        _axis(axis, 1)
    if axis is None or a.ndim == 0:
        a, axis = a.reshape(-1), 0
    return _cumulative("cumulative_sum", a, axis, dtype, False, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """The products so far; of all elements in one line without an axis."""
    a = _given(a)
    if axis is not None and a.ndim == 0:
        _axis(axis, 1)
    if axis is None or a.ndim == 0:
        a, axis = a.reshape(-1), 0
    return _cumulative("cumulative_prod", a, axis, dtype, False, out)


def diff(x, /, axis=-1, n=1, prepend=None, append=None):
    """Differences of neighbours."""
    x = _given(x)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if n == 0:
        return x.copy()
    if x.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = _axis(axis, x.ndim)
    parts = [x]
    for extra, front in ((prepend, True), (append, False)):
        if extra is not None:
            extra = _given(extra)
            if extra.ndim == 0:
                extra = _native._broadcast_to(extra, x.shape[:axis] + (1,) + x.shape[axis + 1 :])
            parts = [extra, *parts] if front else [*parts, extra]
    if len(parts) > 1:
        x = concat(parts, axis)
    here = (slice(None),) * axis
    for _ in range(n):
        high, low = x[here + (slice(1, None),)], x[here + (slice(None, -1),)]
        x = high != low if x.dtype == "bool" else high - low
    return x


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours of all elements in one line."""
    parts = [diff(_given(ary).reshape(-1))]
    if to_begin is not None:
        parts.insert(0, _given(to_begin).reshape(-1))
    if to_end is not None:
        parts.append(_given(to_end).reshape(-1))
    return concat(parts)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences, one-sided at the ends."""
    f = _given(f) * 1.0
    axes = _axes(axis, f.ndim)
    spacings = list(varargs) or [1.0]
    if len(spacings) == 1:
        spacings = spacings * len(axes)
    if edge_order != 1:
        raise ValueError("gradient: `edge_order` is 1")
    results = []
    for at, h in zip(axes, spacings):
        x = moveaxis(f, at, -1)
        made = x * 0.0
        h = _given(h)
        if h.ndim == 0:
            made[..., 1:-1] = (x[..., 2:] - x[..., :-2]) / (2.0 * h)
            made[..., 0] = (x[..., 1] - x[..., 0]) / h
            made[..., -1] = (x[..., -1] - x[..., -2]) / h
        else:
            d = diff(h)
            a, b = d[:-1], d[1:]
            made[..., 1:-1] = -b / (a * (a + b)) * x[..., :-2] + (b - a) / (a * b) * x[..., 1:-1] + a / (b * (a + b)) * x[..., 2:]
            made[..., 0] = (x[..., 1] - x[..., 0]) / d[0]
            made[..., -1] = (x[..., -1] - x[..., -2]) / d[-1]
        results.append(moveaxis(made, -1, at))
    return results[0] if len(results) == 1 else tuple(results)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral by trapezoids."""
    y = moveaxis(_given(y), axis, -1)
    d = dx if x is None else diff(_given(x))
    return sum(d * (y[..., 1:] + y[..., :-1]) / 2.0, -1)


def _flat_last(x, axis):
    if axis is None:
        return x.reshape(-1), 1
    axes = _axes(axis, x.ndim)
    x = moveaxis(x, axes, tuple(range(x.ndim - len(axes), x.ndim)))
    return x.reshape(x.shape[: x.ndim - len(axes)] + (-1,)), len(axes)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """The value below which a part of the elements lies."""
    a = _float(a)
    if isinstance(q, (int, float)):
        parts, dims = [q * 1.0], ()
    else:
        q = _given(q) * 1.0
        parts, dims = q.reshape(-1).tolist(), q.shape
    if builtins.any([it < 0 or it > 1 for it in parts]):
        raise ValueError("Quantiles must be in the range [0, 1]")
    if method not in ("linear", "lower", "higher", "nearest", "midpoint"):
        raise ValueError(f"method '{method}' is not supported")
    flat, _ = _flat_last(a, axis)
    count = flat.shape[-1]
    if count == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    ordered = _native._sort(flat, -1, False)
    results = []
    for part in parts:
        place = part * (count - 1)
        low = int(place)
        high = builtins.min(low + 1, count - 1)
        share = place - low
        if method == "lower":
            share = 0.0
        elif method == "higher":
            share = 1.0 if share > 0 else 0.0
        elif method == "nearest":
            share = float(round(place) - low)
        elif method == "midpoint":
            share = 0.5 if share > 0 else 0.0
        below, above = ordered[..., low], ordered[..., high]
        if method != "linear" and share in (0.0, 1.0):
            made = above if share else below
        else:
            gap = above - below
            made = below + gap * share if share < 0.5 else above - gap * (1 - share)
        results.append(_native._where(_f["isnan"](ordered[..., -1]), float("nan"), made))
    from .manipulation import stack

    made = results[0] if not dims else stack(results).reshape(dims + results[0].shape)
    if keepdims:
        shape = tuple(1 if at in _axes(axis, a.ndim) else n for at, n in enumerate(a.shape))
        made = made.reshape(dims + shape)
    return _out(out, made)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """The value below which so many percent of the elements lie."""
    return quantile(a, q / 100 if isinstance(q, (int, float)) else _given(q) / 100, axis, out, overwrite_input, method, keepdims)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle one of the sorted elements, or the mean of the middle two."""
    a = _float(a)
    flat, _ = _flat_last(a, axis)
    count = flat.shape[-1]
    if count == 0:
        made = mean(flat, -1)
    else:
        ordered = _native._sort(flat, -1, False)
        middle = ordered[..., count // 2]
        made = middle.copy() if count % 2 else (ordered[..., count // 2 - 1] + middle) / 2
        made = _native._where(_f["isnan"](ordered[..., -1]), float("nan"), made)
    if keepdims:
        made = made.reshape([1 if at in _axes(axis, a.ndim) else n for at, n in enumerate(a.shape)])
    return _out(out, made)


def _without_nan(x, instead):
    x = _given(x)
    return _native._where(_f["isnan"](x), instead, x) if x.dtype.kind == "f" else x


def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    """All added but NaN."""
    return sum(_without_nan(a, 0.0), axis, dtype, out, keepdims)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False):
    """All multiplied but NaN."""
    return prod(_without_nan(a, 1.0), axis, dtype, out, keepdims)


def nanmax(a, axis=None, out=None, keepdims=False):
    """The greatest but NaN."""
    a = _given(a)
    made = max(_without_nan(a, -float("inf")), axis, None, keepdims)
    return _out(out, _native._where(all(_f["isnan"](a), axis, keepdims=keepdims), float("nan"), made) if a.dtype.kind == "f" else made)


def nanmin(a, axis=None, out=None, keepdims=False):
    """The least but NaN."""
    a = _given(a)
    made = min(_without_nan(a, float("inf")), axis, None, keepdims)
    return _out(out, _native._where(all(_f["isnan"](a), axis, keepdims=keepdims), float("nan"), made) if a.dtype.kind == "f" else made)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    """The mean but NaN."""
    a = _float(a, dtype)
    count = sum(~_f["isnan"](a), axis, keepdims=keepdims)
    return _out(out, nansum(a, axis, keepdims=keepdims) / count.astype(a.dtype))


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The variance but NaN."""
    a = _float(a, dtype)
    none = _f["isnan"](a)
    count = sum(~none, axis, keepdims=True)
    # What is left out is zero from the beginning, and has no derivative.
    a = _native._where(none, 0.0, a)
    middle = sum(a, axis, keepdims=True) / count.astype(a.dtype)
    squares = sum(_f["square"](_native._where(none, 0.0, a - middle)), axis, keepdims=True)
    made = _native._where(count > ddof, squares / (count - ddof).astype(a.dtype), float("nan"))
    if not keepdims:
        axes = _axes(axis, a.ndim)
        made = made.reshape([n for at, n in enumerate(a.shape) if at not in axes])
    return _out(out, made)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The standard deviation but NaN."""
    return _out(out, _f["sqrt"](nanvar(a, axis, dtype, None, ddof, keepdims)))


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median but NaN."""
    return _out(out, _without_nan_each(median, a, axis, keepdims))


def _without_nan_each(function, a, axis, keepdims):
    """A function of the elements that are no NaN: of all, or of those along each line of an axis."""
    from .elementwise import apply_along_axis

    a = _float(a)
    if axis is None:
        made = function(a[~_f["isnan"](a)])
        return made.reshape(made.shape + (1,) * a.ndim) if keepdims else made
    made = apply_along_axis(lambda line: function(line[~_f["isnan"](line)]), axis, a)
    from .manipulation import expand_dims

    return expand_dims(made, axis) if keepdims else made


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """The value below which a part of the elements lies but NaN."""
    parts = [] if isinstance(q, (int, float)) else _given(q).reshape(-1).tolist()
    one = lambda part: _without_nan_each(
        lambda line: quantile(line, part, method=method) if line.size else line.sum() * float("nan"), a, axis, keepdims
    )
    if isinstance(q, (int, float)):
        return _out(out, one(q))
    from .manipulation import stack

    made = stack([one(it) for it in parts])
    return _out(out, made.reshape(_given(q).shape + made.shape[1:]))


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """The value below which so many percent of the elements lie but NaN."""
    q = q / 100 if isinstance(q, (int, float)) else _given(q) / 100
    return nanquantile(a, q, axis, out, overwrite_input, method, keepdims)


def nancumsum(a, axis=None, dtype=None, out=None):
    """The sums so far but NaN."""
    return cumsum(_without_nan(a, 0.0), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """The products so far but NaN."""
    return cumprod(_without_nan(a, 1.0), axis, dtype, out)


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many points lie in each field of a grid, and the grid."""
    x, y = _given(x), _given(y)
    if x.shape != y.shape:
        raise ValueError("x and y must have the same length.")
    if weights is not None or density:
        raise NotImplementedError("histogram2d with weights or density")
    is_pair = isinstance(bins, (tuple, list)) and len(bins) == 2
    edges = [
        histogram(it, how, None if range is None else range[at])[1]
        for at, (it, how) in enumerate(zip((x, y), bins if is_pair else (bins, bins)))
    ]
    counts = _native._full((len(edges[0]) - 1, len(edges[1]) - 1), 0.0, "float64")
    places, inside = [], True
    for it, edge in zip((x, y), edges):
        at = _native._searchsorted(edge, it.astype(edge.dtype), True) - 1
        at = _native._where(it == edge[-1], len(edge) - 2, at)
        inside = (at >= 0) & (at < len(edge) - 1) & inside
        places.append(at)
    for i, j in zip(*[it[inside].tolist() for it in places]):
        counts[i, j] += 1
    return counts, edges[0], edges[1]


def nanargmax(a, axis=None):
    """The position of the greatest but NaN."""
    from .searching import argmax

    _has_numbers(a, axis)
    return argmax(_without_nan(a, -float("inf")), axis=axis)


def nanargmin(a, axis=None):
    """The position of the least but NaN."""
    from .searching import argmin

    _has_numbers(a, axis)
    return argmin(_without_nan(a, float("inf")), axis=axis)


def _has_numbers(a, axis):
    a = _given(a)
    if a.dtype.kind == "f" and _native._reduce("any", all(_f["isnan"](a), axis), None, False):
        raise ValueError("All-NaN slice encountered")


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    """The covariance matrix of variables in rows."""
    x = _float(m).astype(_FLOAT, copy=False)
    if x.ndim < 2:
        x = x.reshape((1, -1))
    if not rowvar and x.shape[0] != 1:
        x = x.T
    if y is not None:
        y = _float(y).astype(_FLOAT, copy=False)
        x = concat([x, y.reshape((1, -1)) if y.ndim < 2 else y if rowvar else y.T])
    x = x - mean(x, 1, keepdims=True)
    made = x @ x.T / (x.shape[1] - (ddof if ddof is not None else 0 if bias else 1))
    return made.reshape(()) if made.size == 1 else made


def corrcoef(x, y=None, rowvar=True):
    """The matrix of correlation coefficients."""
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    from .creation import diag

    spread = _f["sqrt"](diag(c))
    return c / spread[:, None] / spread[None, :]


def bincount(x, /, weights=None, minlength=0):
    """How often each number is there."""
    x = _given(x)
    if x.ndim != 1 or x.size and x.dtype.kind == "f":
        raise TypeError("Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'safe'")
    numbers = x.tolist()
    if numbers and builtins.min(numbers) < 0:
        raise ValueError("'list' argument must have no negative elements")
    count = builtins.max(minlength, builtins.max(numbers, default=-1) + 1)
    if weights is not None:
        weights = _given(weights).astype(_FLOAT)
        if weights.shape != x.shape:
            raise ValueError("The weights and list don't have the same length.")
        return _native._plus_at(_native._full((count,), 0.0, _FLOAT), x.astype(_INT), weights)
    counts = [0] * count
    for number in numbers:
        counts[number] += 1
    return _native._array(counts, _INT, None)


def digitize(x, bins, right=False):
    """The number of the bin of each element."""
    bins = _given(bins)
    falls = len(bins) > 1 and bins[0] > bins[-1]
    if len(bins) > 2 and any(bins[:-1] < bins[1:] if falls else bins[:-1] > bins[1:]):
        raise ValueError("bins must be monotonically increasing or decreasing")
    if falls:
        return len(bins) - _native._searchsorted(bins[::-1], _given(x), not right)
    return _native._searchsorted(bins, _given(x), not right)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements are in each of some bins."""
    from .creation import linspace

    a = _given(a)
    if weights is not None and _given(weights).shape != a.shape:
        raise ValueError("weights should have the same shape as a.")
    a = a.reshape(-1)
    if isinstance(bins, int):
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        if range is None:
            low, high = (0.0, 1.0) if a.size == 0 else (min(a), max(a))
            if a.dtype.kind != "f" or a.dtype.itemsize == 8:
                low, high = float(low), float(high)
        else:
            low, high = range
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = linspace(low, high, bins + 1, dtype=a.dtype if a.dtype.kind == "f" else _FLOAT)
    else:
        edges = _given(bins)
        if edges.ndim == 1 and any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
    # The last bin holds its right edge, too.
    place = _native._searchsorted(edges, a, True) - 1
    place = _native._where(a == edges[-1], len(edges) - 2, place)
    inside = (a >= edges[0]) & (a <= edges[-1])
    counts = bincount(place[inside], None if weights is None else _given(weights).reshape(-1)[inside], len(edges) - 1)
    if density:
        return counts / diff(edges) / sum(counts), edges
    return counts, edges


def convolve(a, v, mode="full"):
    """The discrete convolution of two lines."""
    a, v = _given(a), _given(v)
    if a.size == 0 or v.size == 0:
        raise ValueError("a cannot be empty" if a.size == 0 else "v cannot be empty")
    if len(v) > len(a):
        a, v = v, a
    n, m = len(a), len(v)
    made = _native._full((n + m - 1,), 0, _native._result_type((a, v)))
    for i, x in enumerate(v):
        made[i : i + n] += a * x
    if mode == "same":
        return made[(m - 1) // 2 : (m - 1) // 2 + n]
    return made[m - 1 : n] if mode == "valid" else made


def correlate(a, v, mode="valid"):
    """The cross-correlation of two lines."""
    return convolve(a, _given(v)[::-1], mode)
