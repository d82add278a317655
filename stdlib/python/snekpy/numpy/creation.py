"""Arrays from nothing, from numbers, and from other objects."""

import builtins

import _snekpy_numpy as _native
from _snekpy_numpy import ndarray

from .types import _F64

__all__ = [
    "arange", "array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "copy", "diag", "diagflat",
    "empty", "empty_like", "eye", "from_dlpack", "frombuffer", "fromfunction", "fromiter", "full", "full_like",
    "geomspace", "identity", "indices", "linspace", "logspace", "meshgrid", "mgrid", "ogrid", "ones", "ones_like",
    "tri", "tril", "triu", "zeros", "zeros_like", "vander", "diagonal", "isfortran",
]


def _on(made, device):
    """The array in the memory of a device; where it is if none is named."""
    return made if device is None else _native._to(made, device)


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    """An array of what an object holds: numbers, nested sequences, another array, a buffer."""
    made = _native._array(object, dtype, copy)
    while made.ndim < ndmin:
        made = made[None]
    return made


def asarray(obj, /, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The same, sharing memory where that is possible."""
    return _on(_native._array(obj, dtype, copy), device)


def asanyarray(a, dtype=None, order=None):
    """As asarray: there are no subclasses."""
    return _native._array(a, dtype, None)


def ascontiguousarray(a, dtype=None):
    """An array whose elements lie one after another."""
    a = _native._array(a, dtype, None)
    if a.ndim == 0:
        a = a.reshape(1)
    return a if a.flags["C_CONTIGUOUS"] else a.copy()


def asfortranarray(a, dtype=None):
    """An array whose columns lie one after another."""
    return asarray(a, dtype).T.copy().T


def isfortran(a):
    """Whether columns, and not rows, lie one after another."""
    return a.ndim > 1 and not a.flags["C_CONTIGUOUS"] and a.T.flags["C_CONTIGUOUS"]


def copy(a, order="K", subok=False):
    """An array of its own with the same elements."""
    return _native._array(a, None, True)


def frombuffer(buffer, dtype=float, count=-1, offset=0):
    """The bytes of an object as elements, not copied."""
    view = memoryview(buffer)[offset:] if offset else buffer
    if count >= 0:
        view = memoryview(view)[: count * _native.dtype(dtype).itemsize]
    return _native._frombuffer(view, dtype)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of an object that lends it by DLPack."""
    kind, _ = x.__dlpack_device__()
    if kind != 1:
        raise BufferError("from_dlpack: the memory of a device cannot be shared; copy it to the cpu first")
    made = _native._from_dlpack(x.__dlpack__())
    return _on(_native._array(made, None, True) if copy else made, device)


def fromiter(iter, dtype, count=-1):
    """The items of an iterable."""
    items = []
    for item in iter:
        if len(items) == count:
            break
        items.append(item)
    return _native._array(items, dtype, None)


def fromfunction(function, shape, *, dtype=float, **kwargs):
    """The function of the coordinates of each element."""
    return function(*indices(shape, dtype), **kwargs)


def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """An array whose elements are not said: zeros."""
    return _native._full(shape, 0, _F64 if dtype is None else dtype, device)


def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of zeros."""
    return _native._full(shape, 0, _F64 if dtype is None else dtype, device)


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of ones."""
    return _native._full(shape, 1, _F64 if dtype is None else dtype, device)


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """An array of one value."""
    return _native._full(shape, fill_value, dtype, device)


def _like(x, value, dtype, shape, device):
    x = asarray(x)
    dims, dtype = x.shape if shape is None else shape, x.dtype if dtype is None else dtype
    return _native._full(dims, value, dtype, x.device if device is None else device)


def empty_like(x, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of the same shape and dtype, on the same device, with zeros."""
    return _like(x, 0, dtype, shape, device)


def zeros_like(x, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of the same shape and dtype, on the same device, with zeros."""
    return _like(x, 0, dtype, shape, device)


def ones_like(x, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of the same shape and dtype, on the same device, with ones."""
    return _like(x, 1, dtype, shape, device)


def full_like(x, /, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of the same shape and dtype, on the same device, with one value."""
    return _like(x, fill_value, dtype, shape, device)


def arange(start, /, stop=None, step=1, dtype=None, *, device=None):
    """Numbers from start, or 0, up to stop, which is not among them."""
    if step is None:
        step = 1
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ZeroDivisionError("division by zero")
    return _on(_native._arange(start, stop, step, dtype), device)


def linspace(start, stop, /, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """num numbers from start to stop, evenly spaced."""
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    divisions = num - 1 if endpoint else num
    if isinstance(start, (int, float)) and isinstance(stop, (int, float)):
        is_whole = dtype is not None and _native._full((0,), 0, dtype).dtype.kind == "i"
        made = _native._linspace(float(start), float(stop), num, endpoint, _F64 if dtype is None or is_whole else dtype)
        if is_whole:
            made = _native._names()["floor"](made).astype(dtype)
        step = (stop - start) / divisions if divisions > 0 else float("nan")
    else:
        start, stop = [it * 1.0 if isinstance(it, (int, float)) else asarray(it) * 1.0 for it in (start, stop)]
        step = (stop - start) / divisions if divisions > 0 else (stop - start) * float("nan")
        count = arange(num, dtype=step.dtype).reshape((num,) + (1,) * step.ndim)
        made = start + count * step if divisions > 0 else start + 0.0 * count * (stop - start)
        if endpoint and num > 1:
            made[-1] = stop
        if axis:
            from .manipulation import moveaxis

            made = moveaxis(made, 0, axis)
        if dtype is not None:
            is_whole = _native._full((0,), 0, dtype).dtype.kind == "i"
            made = (_native._names()["floor"](made) if is_whole else made).astype(dtype)
    made = _on(made, device)
    return (made, step) if retstep else made


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """num numbers from base ** start to base ** stop, evenly spaced on a logarithmic scale."""
    _first(axis)
    made = base ** linspace(start, stop, num, endpoint)
    return made if dtype is None else made.astype(dtype)


def _first(axis):
    if axis not in (0, -1):
        raise NotImplementedError("an axis other than the first")


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """num numbers from start to stop, each a constant multiple of the one before."""
    import math

    _first(axis)
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    sign = -1.0 if start < 0 and stop < 0 else 1.0
    made = sign * logspace(math.log10(sign * start), math.log10(sign * stop), num, endpoint)
    if num > 0:
        made[0] = start
        if num > 1 and endpoint:
            made[-1] = stop
    return made if dtype is None else made.astype(dtype)


def eye(n_rows, n_cols=None, /, k=0, dtype=None, order="C", *, device=None, M=None):
    """Ones on a diagonal."""
    n_cols = M if M is not None else n_rows if n_cols is None else n_cols
    return _on(_native._eye(n_rows, n_cols, k, _F64 if dtype is None else dtype), device)


def identity(n, dtype=None):
    """The square matrix with ones on its main diagonal."""
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=float):
    """Ones on and below a diagonal."""
    return tril(ones((N, N if M is None else M), dtype=dtype), k=k)


def _square(x):
    """A line stands for the matrix with that line as each row."""
    x = asarray(x)
    if x.ndim == 0:
        raise TypeError("a number has no triangle")
    return _native._broadcast_to(x, x.shape * 2) if x.ndim == 1 else x


def tril(x, /, k=0, *, m=None):
    """A copy with zeros above a diagonal."""
    if m is not None:
        x = m
    return _native._triangle(_square(x), k, True)


def triu(x, /, k=0):
    """A copy with zeros below a diagonal."""
    return _native._triangle(_square(x), k, False)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The diagonal of two axes, as the last axis."""
    a = asarray(a)
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    return _native._diagonal(a, offset, axis1, axis2)


def diag(v, k=0):
    """The diagonal of a matrix, or the matrix with a diagonal."""
    v = asarray(v)
    if v.ndim == 2:
        return diagonal(v, k).copy()
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    size = v.shape[0] + builtins.abs(k)
    made = zeros((size, size), dtype=v.dtype, device=v.device)
    at = arange(v.shape[0])
    made[at + builtins.max(-k, 0), at + builtins.max(k, 0)] = v
    return made


def diagflat(v, k=0):
    """The matrix with these elements on a diagonal."""
    return diag(asarray(v).reshape(-1), k)


def vander(x, N=None, increasing=False):
    """Powers of the elements as columns."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    N = len(x) if N is None else N
    powers = arange(N) if increasing else arange(N - 1, -1, -1)
    return x[:, None] ** powers


def indices(dimensions, dtype=int, sparse=False):
    """The coordinates of each element of an array of this shape."""
    grids = meshgrid(*[arange(size, dtype=dtype) for size in dimensions], indexing="ij", sparse=sparse)
    if sparse:
        return tuple(grids)
    from .manipulation import stack

    return stack(grids) if grids else zeros((0,), dtype=dtype)


def meshgrid(*arrays, copy=True, sparse=False, indexing="xy"):
    """Coordinate matrices from coordinate vectors."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    arrays = [asarray(it).reshape(-1) for it in arrays]
    rank = len(arrays)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[0], order[1] = 1, 0
    shape = [0] * rank
    for at, it in zip(order, arrays):
        shape[at] = it.shape[0]
    grids = []
    for at, it in zip(order, arrays):
        own = [1] * rank
        own[at] = it.shape[0]
        grid = it.reshape(own)
        if not sparse:
            grid = _native._broadcast_to(grid, shape)
        grids.append(grid.copy() if copy else grid)
    return grids


class _Grid:
    """`mgrid[0:3, 0:1:5j]`."""

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, key):
        single = not isinstance(key, tuple)
        axes = [self.axis(it) for it in ((key,) if single else key)]
        if single:
            return axes[0]
        grids = meshgrid(*axes, indexing="ij", sparse=self.sparse)
        if self.sparse:
            return tuple(grids)
        from .manipulation import stack

        return stack(grids)

    @staticmethod
    def axis(it):
        start, step = 0 if it.start is None else it.start, 1 if it.step is None else it.step
        if isinstance(step, complex):
            return linspace(start, it.stop, int(builtins.abs(step)))
        return arange(start, it.stop, step)


mgrid = _Grid(False)
ogrid = _Grid(True)
