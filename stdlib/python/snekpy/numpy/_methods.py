"""Methods of arrays that are written in Python."""

import _snekpy_numpy as _native

from . import creation, elementwise, manipulation, products, searching, statistics


def install():
    """Gives them to the class."""
    _native._methods({name: it for name, it in globals().items() if name in _NAMES})
    _native._methods({"flags": property(_flags), "flat": property(_flat), "real": property(_real),
                      "imag": property(_imag), "base": property(_base), "data": property(memoryview)})


def sum(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """All added."""
    if out is initial is dtype is None and where is True:
        return _native._reduce("sum", self, axis, keepdims)
    return statistics.sum(self, axis, dtype, out, keepdims, initial, where)


def prod(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """All multiplied."""
    if out is initial is dtype is None and where is True:
        return _native._reduce("prod", self, axis, keepdims)
    return statistics.prod(self, axis, dtype, out, keepdims, initial, where)


def max(self, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The greatest."""
    if out is initial is None and where is True:
        return _native._reduce("max", self, axis, keepdims)
    return statistics.max(self, axis, out, keepdims, initial, where)


def min(self, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The least."""
    if out is initial is None and where is True:
        return _native._reduce("min", self, axis, keepdims)
    return statistics.min(self, axis, out, keepdims, initial, where)


def mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The mean."""
    return statistics.mean(self, axis, dtype, out, keepdims, where=where)


def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None):
    """The standard deviation."""
    return statistics.std(self, axis, dtype, out, ddof, keepdims, correction=correction)


def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None):
    """The variance."""
    return statistics.var(self, axis, dtype, out, ddof, keepdims, correction=correction)


def all(self, axis=None, out=None, keepdims=False, *, where=True):
    """Whether all are not zero."""
    return statistics.all(self, axis, out, keepdims, where=where)


def any(self, axis=None, out=None, keepdims=False, *, where=True):
    """Whether one is not zero."""
    return statistics.any(self, axis, out, keepdims, where=where)


def ptp(self, axis=None, out=None, keepdims=False):
    """The greatest less the least."""
    return statistics.ptp(self, axis, out, keepdims)


def argmax(self, axis=None, out=None, *, keepdims=False):
    """The position of the greatest."""
    return searching.argmax(self, axis, out, keepdims=keepdims)


def argmin(self, axis=None, out=None, *, keepdims=False):
    """The position of the least."""
    return searching.argmin(self, axis, out, keepdims=keepdims)


def cumsum(self, axis=None, dtype=None, out=None):
    """The sums so far."""
    return statistics.cumsum(self, axis, dtype, out)


def cumprod(self, axis=None, dtype=None, out=None):
    """The products so far."""
    return statistics.cumprod(self, axis, dtype, out)


def clip(self, min=None, max=None, out=None):
    """Not below min and not above max."""
    return elementwise.clip(self, min, max, out)


def round(self, decimals=0, out=None):
    """Rounded to decimals."""
    return elementwise.around(self, decimals, out)


def dot(self, b, out=None):
    """The product with another."""
    return products.dot(self, b, out)


def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along a diagonal."""
    return products.trace(self, offset, axis1, axis2, dtype, out)


def flatten(self, order="C"):
    """All elements along one axis, copied."""
    return manipulation.ravel(self, order).copy()


def ravel(self, order="C"):
    """All elements along one axis."""
    return manipulation.ravel(self, order)


def squeeze(self, axis=None):
    """Without axes of size 1."""
    return manipulation.squeeze(self, axis)


def swapaxes(self, axis1, axis2):
    """Two axes exchanged."""
    return manipulation.swapaxes(self, axis1, axis2)


def repeat(self, repeats, axis=None):
    """Each element several times."""
    return manipulation.repeat(self, repeats, axis)


def diagonal(self, offset=0, axis1=0, axis2=1):
    """The diagonal of two axes."""
    return creation.diagonal(self, offset, axis1, axis2)


def nonzero(self):
    """The positions of elements that are not zero."""
    return searching.nonzero(self)


def take(self, indices, axis=None, out=None, mode="raise"):
    """The elements at positions."""
    return searching.take(self, indices, axis, out, mode)


def put(self, indices, values, mode="raise"):
    """Writes to positions counted over all elements."""
    return searching.put(self, indices, values, mode)


def compress(self, condition, axis=None, out=None):
    """The positions at which a condition holds."""
    return searching.compress(condition, self, axis, out)


def sort(self, axis=-1, kind=None, order=None, *, stable=None):
    """Sorts along an axis, in place."""
    self[...] = _native._sort(self, axis, False)


def argsort(self, axis=-1, kind=None, order=None, *, stable=None):
    """The positions that would sort."""
    return searching.argsort(self, axis)


def searchsorted(self, v, side="left", sorter=None):
    """Where elements belong."""
    return searching.searchsorted(self, v, side, sorter)


def conj(self):
    """The elements themselves: they are real."""
    return self


def conjugate(self):
    """The elements themselves: they are real."""
    return self


def view(self, dtype=None):
    """Another array over the same memory."""
    if dtype is not None and _native.dtype(dtype) != self.dtype:
        raise TypeError("view: the bits of elements cannot be read as another dtype")
    return self[...]


def to_device(self, device, /, *, stream=None):
    """The array in the memory of a device: "cpu", "cuda", "cuda:1" and so on, or "simt"."""
    return _native._to(self, device)


def to(self, device, /):
    """The same."""
    return _native._to(self, device)


def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """A capsule with the memory of the array, as DLPack has it."""
    if stream is not None:
        raise RuntimeError("NumPy only supports stream=None.")
    if dl_device is not None and tuple(dl_device) != (1, 0):
        raise BufferError("unsupported device requested")
    return _native._to_dlpack(_native._array(self, None, True) if copy else self)


def __dlpack_device__(self):
    """Where the memory lies, as DLPack has it."""
    if self.device != "cpu":
        raise BufferError("the memory of a device cannot be exported; copy it to the cpu first")
    return (1, 0)


def __array_namespace__(self, /, *, api_version=None):
    """The module of functions on arrays."""
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        raise ValueError(f"Version {api_version!r} of the Array API Standard is not supported.")
    import snekpy.numpy

    return snekpy.numpy


class _Flags:
    """How elements lie in memory."""

    def __init__(self, array):
        self.c_contiguous, self.f_contiguous = _dense(array), _dense(array.T)
        try:
            self.writeable = not memoryview(array).readonly
        except BufferError:
            self.writeable = True

    contiguous = property(lambda self: self.c_contiguous)

    def __getitem__(self, name):
        return getattr(self, name.lower())


def _dense(array):
    step = array.itemsize
    for size, stride in zip(reversed(array.shape), reversed(array.strides)):
        if size != 1 and stride != step:
            return array.size == 0
        step *= size
    return True


def _flags(self):
    return _Flags(self)


def _real(self):
    return self


def _imag(self):
    return elementwise.imag(self)


def _base(self):
    return None


class _Flat:
    """All elements along one axis, to be read and written."""

    def __init__(self, array):
        self.array = array

    def __iter__(self):
        return iter(self.array.reshape(-1))

    def __len__(self):
        return self.array.size

    def __getitem__(self, key):
        made = self.array.reshape(-1)[key]
        return made if isinstance(key, int) else made.copy()

    def __setitem__(self, key, value):
        flat = self.array.reshape(-1)
        flat[key] = value
        if not _native.shares_memory(flat, self.array):
            self.array[...] = flat.reshape(self.array.shape)


def _flat(self):
    return _Flat(self)


_NAMES = set(
    "sum prod max min mean std var all any ptp argmax argmin cumsum cumprod clip round dot trace flatten ravel squeeze "
    "swapaxes repeat diagonal nonzero take put compress sort argsort searchsorted conj conjugate view to to_device "
    "__array_namespace__ __dlpack__ __dlpack_device__".split()
)
