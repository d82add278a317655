"""Searching and sorting."""

import _snekpy_numpy as _native

from .elementwise import _given, _out
from .manipulation import _axis

__all__ = [
    "argmax", "argmin", "argpartition", "argsort", "argwhere", "choose", "compress", "extract", "flatnonzero",
    "fill_diagonal", "lexsort", "ndindex", "ndenumerate", "nonzero", "partition", "place", "put", "put_along_axis",
    "ravel_multi_index", "ix_", "tril_indices_from", "triu_indices_from", "diag_indices_from", "searchsorted", "sort", "take", "take_along_axis", "top_k", "tril_indices", "triu_indices",
    "unravel_index", "diag_indices", "isin_sorted_",
]
__all__.remove("isin_sorted_")


def _extreme(x, axis, keepdims, greatest):
    x = _given(x)
    if axis is None:
        made = _native._arg_extreme(x if x.ndim == 1 else x.reshape(-1), 0, greatest)
        return made.reshape((1,) * x.ndim) if keepdims else made
    made = _native._arg_extreme(x, axis, greatest)
    if keepdims:
        at = _axis(axis, x.ndim)
        made = made[(slice(None),) * at + (None,)]
    return made


def _position(out, made):
    if out is not None and out.dtype.kind != "i":
        raise TypeError(f"Cannot cast output from {made.dtype!r} to {out.dtype!r}")
    return _out(out, made)


def argmax(x, /, axis=None, out=None, *, keepdims=False):
    """The position of the first greatest."""
    return _position(out, _extreme(x, axis, keepdims, True))


def argmin(x, /, axis=None, out=None, *, keepdims=False):
    """The position of the first least."""
    return _position(out, _extreme(x, axis, keepdims, False))


def nonzero(x, /):
    """The positions of elements that are not zero, one array for each axis."""
    x = _given(x)
    if x.ndim == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.")
    return _native._nonzero(x)


def flatnonzero(a):
    """The positions of elements that are not zero, all in one line."""
    return _native._nonzero(_given(a).reshape(-1))[0]


def argwhere(a):
    """The positions of elements that are not zero, one row for each."""
    from .manipulation import stack

    a = _given(a)
    return stack(_native._nonzero(a), 1) if a.ndim else _native._full((int(bool(a)), 0), 0, "int64")


def sort(x, /, axis=-1, kind=None, order=None, *, descending=False, stable=True):
    """Sorted along an axis; NaN last."""
    x = _given(x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    return _native._sort(x, axis, descending)


def argsort(x, /, axis=-1, kind=None, order=None, *, descending=False, stable=True):
    """The positions that would sort an axis."""
    x = _given(x)
    if axis is None or x.ndim == 0:
        x, axis = x.reshape(-1), 0
    return _native._argsort(x, axis, descending)


def partition(a, kth, axis=-1):
    """With the kth element where sorting would put it, and what belongs before it there, in the order of positions."""
    a = _given(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    return take_along_axis(a, argpartition(a, kth, axis), axis)


def argpartition(a, kth, axis=-1):
    """The positions that would do that."""
    a = _given(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    if not isinstance(kth, int):
        return argsort(a, axis)
    if a.device != "cpu":
        # A device sorts, where the elements are.
        size = a.shape[axis]
        if not -size <= kth < size:
            raise ValueError(f"kth(={kth}) out of bounds ({size})")
        return argsort(a, axis)
    return _native._arg_partition(a, kth, axis, False)


def top_k(x, k, /, axis=-1):
    """The k greatest along an axis, the greatest first, and their positions; among equals the first."""
    x = _given(x)
    if not 0 <= k <= x.shape[axis]:
        raise ValueError(f"k must be between 0 and {x.shape[axis]}, the size of the axis, and is {k}")
    axis %= x.ndim
    at = (slice(None),) * axis + (slice(k),)
    if 0 < k < x.shape[axis] and x.device == "cpu":
        found = _native._arg_partition(x, k - 1, axis, True)[at]
        order = _native._argsort(take_along_axis(x, found, axis), axis, True)
        found = take_along_axis(found, order, axis)
    else:
        found = _native._argsort(x, axis, True)[at]
    return take_along_axis(x, found, axis), found


def lexsort(keys, axis=-1):
    """The positions that sort by the last key, then by the one before it."""
    keys = [_given(it) for it in keys]
    if len({it.shape for it in keys}) > 1:
        raise ValueError("all keys need to be the same shape")
    at = _native._argsort(keys[0], axis, False)
    for key in keys[1:]:
        step = _native._argsort(take_along_axis(key, at, axis), axis, False)
        at = take_along_axis(at, step, axis)
    return at


def searchsorted(x1, x2, /, side="left", sorter=None):
    """Where elements belong in a sorted line."""
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    x1 = _given(x1)
    return _native._searchsorted(x1 if sorter is None else x1[_given(sorter)], x2, side == "right")


def take(x, indices, /, axis=None, out=None, mode="raise"):
    """The elements at positions along an axis."""
    x = _given(x)
    if axis is None or x.ndim == 0:
        x, axis = x.reshape(-1), 0
    axis = _axis(axis, x.ndim)
    if isinstance(indices, int) and mode == "raise":
        return _out(out, x[(slice(None),) * axis + (indices,)].copy())
    indices = _given(indices)
    if mode == "wrap":
        indices = indices % x.shape[axis]
    elif mode == "clip":
        from .elementwise import clip

        indices = clip(indices, 0, x.shape[axis] - 1)
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    return _out(out, x[(slice(None),) * axis + (indices,)].copy())


def _along(x, indices, axis):
    key = []
    for at in range(x.ndim):
        if at == axis:
            key.append(indices)
        else:
            shape = [1] * x.ndim
            shape[at] = -1
            key.append(_native._arange(0, indices.shape[at] if indices.shape[at] != 1 else x.shape[at], 1, None).reshape(shape))
    return tuple(key)


def take_along_axis(x, indices, /, axis=-1):
    """The elements at positions that differ from line to line."""
    x, indices = _given(x), _given(indices)
    if axis is None:
        x, axis = x.reshape(-1), 0
    if indices.ndim != x.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return x[_along(x, indices, _axis(axis, x.ndim))]


def put_along_axis(arr, indices, values, axis):
    """Writes to positions that differ from line to line."""
    indices = _given(indices)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    arr[_along(arr, indices, _axis(axis, arr.ndim))] = values


def put(a, ind, v, mode="raise"):
    """Writes to positions counted over all elements."""
    ind, v = _within(_given(ind).reshape(-1), a.size, mode), _given(v).reshape(-1)
    for i, at in enumerate(ind.tolist()):
        a[unravel_index(at, a.shape)] = v[i % len(v)]


def _within(positions, size, mode):
    """Positions below a size, as a mode makes them so."""
    if mode == "wrap":
        return positions % size
    if mode == "clip":
        from .elementwise import clip

        return clip(positions, 0, size - 1)
    if mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    if _native._reduce("any", (positions < -size) | (positions >= size), None, False):
        raise IndexError(f"index is out of bounds for axis 0 with size {size}")
    return _native._where(positions < 0, positions + size, positions)


def place(arr, mask, vals):
    """Writes values, over and over, to where the mask holds."""
    at = _native._nonzero(mask)
    vals = _given(vals).reshape(-1)
    arr[at] = vals[_native._arange(0, len(at[0]), 1, None) % len(vals)]


def compress(condition, a, axis=None, out=None):
    """The positions along an axis at which a condition holds."""
    return take(a, _native._nonzero(condition)[0], axis, out)


def extract(condition, arr):
    """The elements for which a condition holds."""
    return _given(arr).reshape(-1)[_native._nonzero(_given(condition).reshape(-1))[0]]


def choose(a, choices, out=None, mode="raise"):
    """For each position the element of the array with that number."""
    a = _given(a)
    if mode != "raise":
        a = _within(a, len(choices), mode)
    made = None
    for number, choice in enumerate(choices):
        made = _given(choice) if made is None else _native._where(a == number, choice, made)
    if any(it < 0 or it >= len(choices) for it in a.reshape(-1).tolist()):
        raise ValueError("invalid entry in choice array")
    return _out(out, _native._broadcast_to(made, _native._broadcast_shapes([made.shape, a.shape])).copy())


def unravel_index(indices, shape, order="C"):
    """Positions counted over all elements as positions along each axis."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    indices = _given(indices)
    total = 1
    for n in shape:
        total *= n
    if _native._reduce("any", (indices < 0) | (indices >= total), None, False):
        raise ValueError(f"index is out of bounds for array with size {total}")
    parts = []
    for n in reversed(shape) if order == "C" else shape:
        parts.append(indices % n)
        indices = indices // n
    return tuple(reversed(parts)) if order == "C" else tuple(parts)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Positions along each axis as positions counted over all elements."""
    modes = mode if isinstance(mode, tuple) else (mode,) * len(dims)
    made = 0
    axes = list(zip(multi_index, dims, modes))
    for at, n, how in axes if order == "C" else reversed(axes):
        at = _given(at)
        if how == "raise" and _native._reduce("any", (at < 0) | (at >= n), None, False):
            raise ValueError("invalid entry in coordinates array")
        made = made * n + (at if how == "raise" else _within(at, n, how))
    return made


def tril_indices(n, k=0, m=None):
    """The positions on and below a diagonal."""
    from .creation import tri

    return _native._nonzero(tri(n, m, k=k, dtype=bool))


def triu_indices(n, k=0, m=None):
    """The positions on and above a diagonal."""
    from .creation import tri

    return _native._nonzero(~tri(n, m, k=k - 1, dtype=bool))


def tril_indices_from(arr, k=0):
    """The positions on and below a diagonal of a matrix."""
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr, k=0):
    """The positions on and above a diagonal of a matrix."""
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def diag_indices_from(arr):
    """The positions on the main diagonal of an array."""
    if arr.ndim < 2 or len(set(arr.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def ix_(*args):
    """Lines of positions, one for each axis, that are broadcast to all of their combinations."""
    made = []
    for at, line in enumerate(args):
        line = _given(line)
        if line.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if line.dtype.kind == "b":
            line = _native._nonzero(line)[0]
        elif line.size == 0:
            line = line.astype("int64")
        made.append(line.reshape((1,) * at + (-1,) + (1,) * (len(args) - at - 1)))
    return tuple(made)


def diag_indices(n, ndim=2):
    """The positions on the main diagonal."""
    return (_native._arange(0, n, 1, None),) * ndim


def fill_diagonal(a, val, wrap=False):
    """Writes to the main diagonal."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    if wrap and a.ndim == 2 and a.shape[0] > a.shape[1] + 1:
        rows = _native._arange(0, a.shape[0], 1, None)
        rows = rows[rows % (a.shape[1] + 1) != a.shape[1]]
        at = (rows, rows % (a.shape[1] + 1))
    else:
        at = (_native._arange(0, min(a.shape), 1, None),) * a.ndim
    val = _given(val).reshape(-1)
    a[at] = val[_native._arange(0, len(at[0]), 1, None) % len(val)]


def ndindex(*shape):
    """All positions of an array of this shape."""
    import itertools

    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    return itertools.product(*(range(n) for n in shape))


def ndenumerate(arr):
    """All positions with their elements."""
    arr = _given(arr)
    return ((at, arr[at]) for at in ndindex(*arr.shape))
