"""Layers of neural networks that are more than a line of `snekpy.numpy`."""

from snekpy import numpy as _np

__all__ = ["conv2d"]


def conv2d(x, w, b=None, *, stride=1, padding=0):
    """The cross-correlation of images `(n, channels, height, width)` with filters `(filters, channels, rows, columns)`.

    `b` is a number for each filter. `stride` says how far filters move, `padding` how many zeros there are before the first
    and behind the last row and column; each is an int, or a pair for rows and columns. The result is `(n, filters, ...)`.

    It is one product of matrices: each place that a filter comes to is a row of one.
    """
    x, w = _np.asarray(x), _np.asarray(w)
    if x.ndim != 4 or w.ndim != 4:
        raise ValueError(f"conv2d: images and filters have 4 axes, not {x.ndim} and {w.ndim}")
    n, channels, _, _ = x.shape
    filters, depth, rows, columns = w.shape
    if channels != depth:
        raise ValueError(f"conv2d: the images have {channels} channels, the filters {depth}")
    down, right = _pair(stride, 1, "stride")
    above, left = _pair(padding, 0, "padding")
    x = _padded(_padded(x, 2, above), 3, left)
    height, width = (x.shape[2] - rows) // down + 1, (x.shape[3] - columns) // right + 1
    if rows == 0 or columns == 0 or height < 1 or width < 1:
        raise ValueError(f"conv2d: filters of {rows} by {columns} do not fit into images of {x.shape[2]} by {x.shape[3]}")
    # What each element of a filter meets, wherever the filter is.
    met = [
        x[:, :, i : i + down * (height - 1) + 1 : down, j : j + right * (width - 1) + 1 : right]
        for i in range(rows)
        for j in range(columns)
    ]
    places = _np.stack(met, axis=2).reshape(n, channels * rows * columns, height * width)
    places = places.transpose(0, 2, 1).reshape(n * height * width, channels * rows * columns)
    y = places @ w.reshape(filters, channels * rows * columns).T
    if b is not None:
        y = y + b
    return y.reshape(n, height, width, filters).transpose(0, 3, 1, 2)


def _pair(given, least, what):
    pair = (given, given) if isinstance(given, int) else given
    if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(it, int) for it in pair):
        raise TypeError(f"conv2d: `{what}` is an int, or a pair of them")
    if pair[0] < least or pair[1] < least:
        raise ValueError(f"conv2d: `{what}` is {least} at least, not {given}")
    return pair


def _padded(x, axis, by):
    """With so many zeros before and behind along an axis."""
    if by == 0:
        return x
    zeros = _np.zeros(x.shape[:axis] + (by,) + x.shape[axis + 1 :], dtype=x.dtype, device=x.device)
    return _np.concatenate([zeros, x, zeros], axis=axis)
