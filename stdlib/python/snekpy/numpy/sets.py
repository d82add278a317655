"""Arrays as sets."""

from collections import namedtuple
from math import prod

import _snekpy_numpy as _native

from .elementwise import _given
from .manipulation import concat

_f = _native._names()

__all__ = [
    "in1d", "intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique", "unique_all", "unique_counts",
    "unique_inverse", "unique_values",
]

UniqueAllResult = namedtuple("UniqueAllResult", "values indices inverse_indices counts")
UniqueCountsResult = namedtuple("UniqueCountsResult", "values counts")
UniqueInverseResult = namedtuple("UniqueInverseResult", "values inverse_indices")


def _groups(flat, equal_nan):
    """The order that sorts, and where in it a new value begins."""
    order = _native._argsort(flat, 0, False)
    line = flat[order]
    differs = line[1:] != line[:-1]
    if equal_nan and line.dtype.kind == "f":
        differs = differs & ~(_f["isnan"](line[1:]) & _f["isnan"](line[:-1]))
    return order, line, _fresh(line, differs)


def _fresh(line, differs):
    """Where something new begins: with the first, and what differs from the one before it."""
    return concat([_native._full((min(line.shape[0], 1),), True, "bool"), differs])


def _inverse(order, fresh):
    """Which of the new ones each element belongs to, where it was before it was put in order."""
    inverse = order.copy()
    if order.size:
        inverse[order] = _native._scan("cumulative_sum", fresh, 0) - 1
    return inverse


def _counts(starts, size):
    """How many there are from each start to the next one, or to the end."""
    return concat([starts[1:], _native._array([size], None, None)]) - starts if starts.size else starts


def _unique(x, equal_nan):
    x = _given(x)
    order, line, fresh = _groups(x.reshape(-1), equal_nan)
    starts = _native._nonzero(fresh)[0]
    return line[starts], order[starts], _inverse(order, fresh).reshape(x.shape), _counts(starts, line.size)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """Each value once, sorted."""
    ar = _given(ar)
    if axis is not None:
        if ar.ndim == 1 and axis in (0, -1):
            axis = None
        else:
            return _unique_rows(ar, axis, return_index, return_inverse, return_counts)
    values, indices, inverse, counts = _unique(ar, equal_nan)
    if not (return_index or return_inverse or return_counts):
        return values
    made = [values]
    made += [indices] if return_index else []
    made += [inverse] if return_inverse else []
    made += [counts] if return_counts else []
    return tuple(made)


def _unique_rows(ar, axis, return_index, return_inverse, return_counts):
    from .manipulation import moveaxis
    from .searching import lexsort

    rows = moveaxis(ar, axis, 0)
    count = rows.shape[0]
    flat = rows.reshape((count, prod(rows.shape[1:])))
    columns = [flat[:, at] for at in range(flat.shape[1] - 1, -1, -1)]
    # Rows of nothing are all one.
    order = lexsort(columns or [_native._reduce("any", flat != flat, 1, False)])
    line = flat[order]
    fresh = _fresh(line, _native._reduce("any", line[1:] != line[:-1], 1, False))
    starts = _native._nonzero(fresh)[0]
    made = [moveaxis(rows[order[starts]], 0, axis)]
    made += [order[starts]] if return_index else []
    made += [_inverse(order, fresh)] if return_inverse else []
    if return_counts:
        made.append(_counts(starts, count))
    return made[0] if len(made) == 1 else tuple(made)


def unique_values(x, /):
    """Each value once. Each NaN counts by itself."""
    return _unique(x, False)[0]


def unique_counts(x, /):
    """Each value once, and how often it is there."""
    values, _, _, counts = _unique(x, False)
    return UniqueCountsResult(values, counts)


def unique_inverse(x, /):
    """Each value once, and which of them each element is."""
    values, _, inverse, _ = _unique(x, False)
    return UniqueInverseResult(values, inverse)


def unique_all(x, /):
    """Each value once, where it is first, which each element is, and how often."""
    values, indices, inverse, counts = _unique(x, False)
    return UniqueAllResult(values, indices, inverse, counts)


def isin(x1, x2, /, *, assume_unique=False, invert=False, kind=None):
    """Whether elements are among others."""
    x1, x2 = _given(x1), _given(x2).reshape(-1)
    if x2.size == 0:
        found = _native._full(x1.shape, False, "bool")
    else:
        line = _native._sort(x2, 0, False)
        at = _native._searchsorted(line, x1, False)
        at = _native._where(at == line.size, 0, at)
        found = line[at] == x1
    return ~found if invert else found


def in1d(ar1, ar2, assume_unique=False, invert=False):
    """Whether elements of a line are among others."""
    return isin(_given(ar1).reshape(-1), ar2, invert=invert)


def union1d(ar1, ar2):
    """What is in one of the two."""
    return unique(concat([_given(ar1).reshape(-1), _given(ar2).reshape(-1)]))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """What is in both."""
    one, two = unique(ar1), unique(ar2)
    common = one[isin(one, two)]
    if return_indices:
        (a, ai), (b, bi) = unique(ar1, return_index=True), unique(ar2, return_index=True)
        return common, ai[isin(a, common)], bi[isin(b, common)]
    return common


def setdiff1d(ar1, ar2, assume_unique=False):
    """What is in the first alone."""
    one = _given(ar1).reshape(-1) if assume_unique else unique(ar1)
    return one[isin(one, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    """What is in exactly one."""
    one, two = unique(ar1), unique(ar2)
    return _native._sort(concat([one[isin(one, two, invert=True)], two[isin(two, one, invert=True)]]), 0, False)
