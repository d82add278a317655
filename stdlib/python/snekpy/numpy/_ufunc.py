"""Methods of elementwise functions of two arrays: `np.add.reduce(x)`."""

import _snekpy_numpy as _native

from . import statistics
from .elementwise import _given
from .manipulation import _axes, moveaxis, stack

_REDUCTIONS = {"add": statistics.sum, "multiply": statistics.prod, "maximum": statistics.max, "minimum": statistics.min,
               "logical_and": statistics.all, "logical_or": statistics.any}


def install():
    """Gives them to the class."""
    _native._ufunc_methods({"reduce": reduce, "accumulate": accumulate, "outer": outer, "at": at})


def _of_two(self):
    if self.nin != 2:
        raise ValueError(f"{self.__name__} is a function of one array: this is for functions of two")


def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
    """The function of the first two along an axis, of that and the third, and so on."""
    _of_two(self)
    array = _given(array)
    if dtype is not None:
        array = array.astype(dtype)
    known = _REDUCTIONS.get(self.__name__)
    if known is not None:
        made = known(array, axis, keepdims=keepdims)
    else:
        axes = _axes(axis, array.ndim)
        if len(axes) != 1:
            raise ValueError(f"reduction operation '{self.__name__}' is not reorderable, so at most one axis may be specified")
        lines = moveaxis(array, axes[0], 0)
        if len(lines) == 0:
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        made = lines[0].copy()
        for line in lines[1:]:
            made = self(made, line)
        if keepdims:
            made = made.reshape([1 if i in axes else n for i, n in enumerate(array.shape)])
    if out is not None:
        out[...] = made
        return out
    return made


def accumulate(self, array, axis=0, dtype=None, out=None):
    """What `reduce` has after each step."""
    _of_two(self)
    lines = moveaxis(_given(array), axis, 0)
    if self.__name__ in ("add", "multiply"):
        made = (statistics.cumsum if self.__name__ == "add" else statistics.cumprod)(array, axis, dtype)
    else:
        steps = [lines[0]] if len(lines) else []
        for line in lines[1:]:
            steps.append(self(steps[-1], line))
        made = moveaxis(stack(steps), 0, axis) if steps else _given(array).copy()
    if out is not None:
        out[...] = made
        return out
    return made


def outer(self, a, b, /):
    """The function of each pair of elements."""
    _of_two(self)
    a, b = _given(a), _given(b)
    return self(a.reshape(a.shape + (1,) * b.ndim), b)


def at(self, a, indices, b=None, /):
    """Changes elements in place, those that are named twice two times."""
    named = _native._arange(0, a.size, 1, None).reshape(a.shape)[indices]
    if self.__name__ in ("add", "subtract") and a.dtype.kind == "f" and a.device == "cpu":
        values = _native._broadcast_to(_given(b), named.shape).reshape(-1).astype(a.dtype)
        values = values if self.__name__ == "add" else -values
        a[...] = _native._plus_at(a.reshape(-1), named.reshape(-1), values).reshape(a.shape)
        return
    places = named.reshape(-1).tolist()
    flat = a.reshape(-1)
    if self.nin == 1:
        for place in places:
            flat[place] = self(flat[place])
    else:
        values = _native._broadcast_to(_given(b), named.shape).reshape(-1)
        for place, value in zip(places, values):
            flat[place] = self(flat[place], value)
    if not _native.shares_memory(flat, a):
        a[...] = flat.reshape(a.shape)
