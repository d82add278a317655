"""Other shapes, orders and combinations of arrays."""

import builtins

import _snekpy_numpy as _native
from _snekpy_numpy import ndarray

from .elementwise import _given
from .exceptions import AxisError

__all__ = [
    "append", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "block", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "column_stack", "concat", "concatenate", "delete", "dsplit", "dstack", "expand_dims", "flip",
    "fliplr", "flipud", "hsplit", "hstack", "insert", "matrix_transpose", "moveaxis", "ndim", "pad", "permute_dims",
    "ravel", "repeat", "reshape", "resize", "roll", "rollaxis", "rot90", "shape", "size", "split", "squeeze", "stack",
    "swapaxes", "tile", "transpose", "trim_zeros", "unstack", "vsplit", "vstack", "row_stack", "r_", "c_", "s_",
]


def _axis(axis, rank):
    if not -rank <= axis < rank:
        raise AxisError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return axis % rank


def _axes(axis, rank):
    if axis is None:
        return tuple(range(rank))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(_axis(int(it), rank) for it in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    return axes


def shape(a):
    """The size of each axis."""
    return _given(a).shape


def ndim(a):
    """How many axes there are."""
    return _given(a).ndim


def size(a, axis=None):
    """How many elements there are."""
    return _given(a).size if axis is None else _given(a).shape[axis]


def reshape(x, /, shape, order="C", *, copy=None):
    """The same elements in another shape."""
    return _given(x).reshape(shape, order=order, copy=copy)


def ravel(a, order="C"):
    """All elements along one axis; a view where that is possible."""
    a = _given(a)
    return a.T.reshape(-1) if order == "F" else a.reshape(-1)


def permute_dims(x, /, axes):
    """The axes in another order."""
    return _given(x).transpose(axes)


def transpose(a, axes=None):
    """The axes in another order, or reversed."""
    return _given(a).transpose(axes)


def matrix_transpose(x, /):
    """The last two axes exchanged."""
    x = _given(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.mT


def swapaxes(a, axis1, axis2):
    """Two axes exchanged."""
    a = _given(a)
    order = list(range(a.ndim))
    axis1, axis2 = _axis(axis1, a.ndim), _axis(axis2, a.ndim)
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return a.transpose(order)


def moveaxis(x, source, destination, /):
    """Some axes in other places."""
    x = _given(x)
    source, destination = _axes(source, x.ndim), _axes(destination, x.ndim)
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    rest = [it for it in range(x.ndim) if it not in source]
    order = []
    for at in range(x.ndim):
        order.append(source[destination.index(at)] if at in destination else rest.pop(0))
    return x.transpose(order)


def rollaxis(a, axis, start=0):
    """An axis moved to before another."""
    a = _given(a)
    axis = _axis(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    return moveaxis(a, axis, start - 1 if axis < start else start)


def expand_dims(x, /, axis=0):
    """New axes of size 1."""
    x = _given(x)
    count = 1 if isinstance(axis, int) else len(axis)
    for at in sorted(_axes(axis, x.ndim + count)):
        x = x[(slice(None),) * at + (None,)]
    return x


def squeeze(x, /, axis=None):
    """Without axes of size 1."""
    x = _given(x)
    if axis is None:
        axes = [at for at in range(x.ndim) if x.shape[at] == 1]
    else:
        axes = _axes(axis, x.ndim)
        if any(x.shape[at] != 1 for at in axes):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return x[tuple(0 if at in axes else slice(None) for at in range(x.ndim)) + (...,)] if axes else x[...]


def flip(m, /, axis=None):
    """In opposite order along axes."""
    m = _given(m)
    for at in _axes(axis, m.ndim):
        m = _native._flip(m, at)
    return m


def fliplr(m):
    """In opposite order along the second axis."""
    return flip(m, 1)


def flipud(m):
    """In opposite order along the first axis."""
    return flip(m, 0)


def rot90(m, k=1, axes=(0, 1)):
    """Turned by quarters of a turn."""
    m, k = _given(m), k % 4
    if k == 0:
        return m[...]
    if k == 2:
        return flip(m, axes)
    return swapaxes(flip(m, axes[1]), *axes) if k == 1 else flip(swapaxes(m, *axes), axes[1])


def roll(x, /, shift, axis=None):
    """Moved along axes; what leaves at one end comes in at the other."""
    x = _given(x)
    if axis is None:
        return roll(x.reshape(-1), shift, 0).reshape(x.shape)
    shifts = (shift,) if isinstance(shift, int) else tuple(shift)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    if len(axes) == 1:
        axes = axes * len(shifts)
    for by, at in zip(shifts, axes):
        at = _axis(at, x.ndim)
        if x.shape[at]:
            places = (_native._arange(0, x.shape[at], 1, None) - by) % x.shape[at]
            x = x[(slice(None),) * at + (places,)]
    return x.copy()


def broadcast_to(x, /, shape):
    """A view in which axes of size 1 are stretched."""
    x = _given(x)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    try:
        return _native._broadcast_to(x, shape)
    except ValueError:
        raise ValueError(
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            f"{str(x.shape).replace(' ', '')}  and requested shape {str(shape).replace(' ', '')}"
        ) from None


def broadcast_shapes(*shapes):
    """The shape that arrays of these shapes are stretched to."""
    try:
        return _native._broadcast_shapes(shapes)
    except ValueError:
        raise ValueError("shape mismatch: objects cannot be broadcast to a single shape.") from None


def broadcast_arrays(*arrays):
    """The arrays stretched to one shape."""
    arrays = [_given(it) for it in arrays]
    shape = broadcast_shapes(*(it.shape for it in arrays))
    return tuple(_native._broadcast_to(it, shape) for it in arrays)


def _into(made, out, dtype):
    """`made` with the dtype that is asked for, in `out` if that is given."""
    if dtype is not None:
        made = made.astype(dtype)
    if out is not None:
        out[...] = made
        return out
    return made


def concat(arrays, /, axis=0, out=None, *, dtype=None):
    """One after another along an axis."""
    if axis is None:
        arrays, axis = [_given(it).reshape(-1) for it in arrays], 0
    return _into(_native._concat(arrays, axis), out, dtype)


concatenate = concat


def stack(arrays, /, axis=0, out=None, *, dtype=None):
    """One after another along a new axis."""
    return _into(_native._stack(arrays, axis), out, dtype)


def unstack(x, /, *, axis=0):
    """The parts along an axis, which is gone."""
    x = _given(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(x, axis, 0))


def _one_each(result):
    return result[0] if len(result) == 1 else tuple(result)


def atleast_1d(*arys):
    """With one axis at least."""
    return _one_each([it if it.ndim else it.reshape(1) for it in map(_given, arys)])


def atleast_2d(*arys):
    """With two axes at least."""
    return _one_each([it if it.ndim > 1 else it.reshape((1, -1)) for it in map(_given, arys)])


def atleast_3d(*arys):
    """With three axes at least."""

    def three(it):
        if it.ndim == 0:
            return it.reshape((1, 1, 1))
        return it[None, :, None] if it.ndim == 1 else it[:, :, None] if it.ndim == 2 else it

    return _one_each([three(it) for it in map(_given, arys)])


def vstack(tup, *, dtype=None):
    """Below one another."""
    return concat([atleast_2d(it) for it in tup], dtype=dtype)


row_stack = vstack


def hstack(tup, *, dtype=None):
    """Beside one another."""
    arrays = [atleast_1d(it) for it in tup]
    return concat(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype)


def dstack(tup):
    """Behind one another."""
    return concat([atleast_3d(it) for it in tup], 2)


def column_stack(tup):
    """Vectors as columns."""
    return concat([it[:, None] if it.ndim == 1 else it for it in map(atleast_1d, tup)], 1)


def block(arrays):
    """A matrix of matrices, given as nested lists."""

    def depth(it):
        return 1 + builtins.max(map(depth, it)) if isinstance(it, list) else 0

    total = depth(arrays)

    def join(it, level):
        if not isinstance(it, list):
            it = _given(it)
            return it.reshape((1,) * builtins.max(0, total - it.ndim) + it.shape)
        return concat([join(part, level + 1) for part in it], -(total - level))

    return join(arrays, 0)


def append(arr, values, axis=None):
    """With more elements at the end."""
    if axis is None:
        return concat([ravel(arr), ravel(values)])
    return concat([arr, values], axis)


def array_split(ary, indices_or_sections, axis=0):
    """Cut into parts along an axis, which may be of different sizes."""
    ary = _given(ary)
    axis = _axis(axis, ary.ndim)
    total = ary.shape[axis]
    if isinstance(indices_or_sections, int):
        sections = indices_or_sections
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, extras = builtins.divmod(total, sections)
        sizes = [each + 1] * extras + [each] * (sections - extras)
        cuts = [0]
        for it in sizes:
            cuts.append(cuts[-1] + it)
    else:
        cuts = [0, *(int(it) for it in indices_or_sections), total]
    here = (slice(None),) * axis
    return [ary[here + (slice(a, b),)] for a, b in zip(cuts, cuts[1:])]


def split(ary, indices_or_sections, axis=0):
    """Cut into equal parts along an axis."""
    ary = _given(ary)
    if isinstance(indices_or_sections, int) and ary.shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary, indices_or_sections):
    """Cut beside one another."""
    return split(ary, indices_or_sections, 0 if _given(ary).ndim == 1 else 1)


def vsplit(ary, indices_or_sections):
    """Cut below one another."""
    if _given(ary).ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    """Cut behind one another."""
    return split(ary, indices_or_sections, 2)


def repeat(x, repeats, /, axis=None):
    """Each element several times."""
    x = _given(x)
    if axis is None or x.ndim == 0:
        x, axis = x.reshape(-1), 0
    axis = _axis(axis, x.ndim)
    count = x.shape[axis]
    if isinstance(repeats, int):
        if repeats < 0:
            raise ValueError("repeats may not contain negative values.")
        at = _native._arange(0, count * repeats, 1, None) // repeats if repeats else _native._arange(0, 0, 1, None)
        return x[(slice(None),) * axis + (at,)]
    else:
        repeats = _native._broadcast_to(_given(repeats), (count,)).tolist()
    if any([it < 0 for it in repeats]):
        raise ValueError("repeats may not contain negative values.")
    at = [i for i, times in enumerate(repeats) for _ in range(times)]
    return x[(slice(None),) * axis + (_native._array(at, "int64", None),)]


def tile(x, repetitions, /):
    """The whole several times along each axis."""
    x = _given(x)
    times = (repetitions,) if isinstance(repetitions, int) else tuple(repetitions)
    rank = builtins.max(len(times), x.ndim)
    times = (1,) * (rank - len(times)) + times
    x = x.reshape((1,) * (rank - x.ndim) + x.shape)
    for axis, count in enumerate(times):
        x = _native._concat([x] * count, axis) if count else x[(slice(None),) * axis + (slice(0, 0),)]
    return x.copy()


def resize(a, new_shape):
    """As many of the elements, over and over, as another shape needs."""
    flat = ravel(a)
    shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    count = 1
    for it in shape:
        count *= it
    if flat.size == 0:
        return _native._full(shape, 0, flat.dtype)
    return tile(flat, -(-count // flat.size))[:count].reshape(shape)


def pad(array, pad_width, mode="constant", **kwargs):
    """With more elements round it: 'constant', 'edge', 'reflect', 'symmetric' or 'wrap'."""
    array = _given(array)
    if isinstance(pad_width, int):
        widths = [(pad_width, pad_width)] * array.ndim
    else:
        pairs = pad_width.tolist() if isinstance(pad_width, ndarray) else pad_width
        if isinstance(pairs[0], int):
            pairs = [pairs]
        pairs = [tuple(it) if len(it) == 2 else (it[0], it[0]) for it in pairs]
        widths = pairs * array.ndim if len(pairs) == 1 else pairs
    if builtins.any([it < 0 for pair in widths for it in pair]):
        raise ValueError("index can't contain negative values")
    if mode == "constant":
        value = kwargs.get("constant_values", 0)
        if not isinstance(value, (int, float)):
            raise TypeError("pad: `constant_values` is a single number")
        made = _native._full([n + a + b for n, (a, b) in zip(array.shape, widths)], value, array.dtype, array.device)
        made[tuple(slice(a, a + n) for n, (a, b) in zip(array.shape, widths))] = array
        return made
    for axis, (before, after) in enumerate(widths):
        count = array.shape[axis]
        positions = range(-before, count + after)
        if mode == "edge":
            at = [builtins.min(builtins.max(i, 0), count - 1) for i in positions]
        elif mode == "wrap":
            at = [i % count for i in positions]
        elif mode == "symmetric":
            at = [builtins.min(i % (2 * count), 2 * count - 1 - i % (2 * count)) for i in positions]
        elif mode == "reflect":
            turn = builtins.max(2 * count - 2, 1)
            at = [builtins.min(i % turn, turn - i % turn) if count > 1 else 0 for i in positions]
        else:
            raise ValueError(f"mode '{mode}' is not supported")
        array = array[(slice(None),) * axis + (_native._array(at, "int64", None),)]
    return array


def delete(arr, obj, axis=None):
    """Without some positions along an axis."""
    arr = _given(arr)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    axis = _axis(axis, arr.ndim)
    count = arr.shape[axis]
    if isinstance(obj, slice) or isinstance(obj, int) and -count <= obj < count:
        gone = range(count)[obj] if isinstance(obj, slice) else (obj % count,)
        left = [it for it in range(count) if it not in gone]
        return arr[(slice(None),) * axis + (_native._array(left, "int64", None),)]
    keep = _native._full((count,), True, "bool")
    keep[obj if isinstance(obj, (int, slice)) else _native._array(obj, None, None)] = False
    return arr[(slice(None),) * axis + (keep,)]


def insert(arr, obj, values, axis=None):
    """With values before a position along an axis."""
    arr = _given(arr)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    if not isinstance(obj, int):
        raise TypeError("insert: `obj` is a single position")
    axis = _axis(axis, arr.ndim)
    at = obj + arr.shape[axis] if obj < 0 else obj
    if not 0 <= at <= arr.shape[axis]:
        raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {arr.shape[axis]}")
    here = (slice(None),) * axis
    values = _native._array(values, arr.dtype, None)
    if values.ndim == 0:
        values = _native._broadcast_to(values, arr.shape[:axis] + (1,) + arr.shape[axis + 1 :])
    elif values.ndim < arr.ndim:
        values = values[:, None] if axis == arr.ndim - 1 and arr.ndim == 2 else expand_dims(values, axis) if arr.ndim > 1 else values
    return _native._concat([arr[here + (slice(0, at),)], values, arr[here + (slice(at, None),)]], axis)


def trim_zeros(filt, trim="fb"):
    """Without zeros at the ends."""
    filt = _given(filt)
    at = _native._nonzero(filt)[0]
    if len(at) == 0:
        return filt[:0]
    first = int(at[0]) if "f" in trim.lower() else 0
    last = int(at[-1]) + 1 if "b" in trim.lower() else len(filt)
    return filt[first:last]


class _Join:
    """`r_[1, 2:5, x]` and `c_[x, y]`."""

    def __init__(self, columns):
        self.columns = columns

    def __getitem__(self, key):
        from .creation import _Grid

        parts = []
        for it in key if isinstance(key, tuple) else (key,):
            it = atleast_1d(_Grid.axis(it) if isinstance(it, slice) else it)
            parts.append(it[:, None] if self.columns and it.ndim == 1 else it)
        return concat(parts, -1 if self.columns else 0)


class _Key:
    """`s_[1:3, ...]`: the key itself."""

    def __getitem__(self, key):
        return key


r_, c_, s_ = _Join(False), _Join(True), _Key()
