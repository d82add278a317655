"""Layers of neural networks that are more than a line of `snekpy.numpy`."""

from snekpy import numpy as _np

__all__ = ["conv2d"]


def conv2d(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    """The cross-correlation of images `(n, channels, height, width)` with filters `(filters, depth, rows, columns)`.

    `b` is a number for each filter. `stride` says how far filters move, `padding` how many zeros there are before the first
    and behind the last row and column, `dilation` how far the elements of a filter are from each other; each is an int, or a
    pair for rows and columns. Channels and filters are dealt into as many `groups`, in order, each of which is by itself: the
    filters have `depth` channels each, as many as a group has. The result is `(n, filters, ...)`.

    It is one product of matrices for each group: each place that a filter comes to is a row of one.
    """
    x, w = _np.asarray(x), _np.asarray(w)
    if x.ndim != 4 or w.ndim != 4:
        raise ValueError(f"conv2d: images and filters have 4 axes, not {x.ndim} and {w.ndim}")
    n, channels, _, _ = x.shape
    filters, depth, rows, columns = w.shape
    _check_groups(groups, channels, filters)
    if channels != depth * groups:
        of_groups = f" of {groups} groups" if groups > 1 else ""
        raise ValueError(f"conv2d: the images have {channels} channels, the filters {depth}{of_groups}")
    down, right = _pair(stride, 1, "stride")
    above, left = _pair(padding, 0, "padding")
    below, beside = _pair(dilation, 1, "dilation")
    x = _padded(_padded(x, 2, above), 3, left)
    tall, wide = below * (rows - 1) + 1, beside * (columns - 1) + 1
    height, width = (x.shape[2] - tall) // down + 1, (x.shape[3] - wide) // right + 1
    if rows == 0 or columns == 0 or height < 1 or width < 1:
        spread = f", spread to {tall} by {wide}," if (tall, wide) != (rows, columns) else ""
        raise ValueError(
            f"conv2d: filters of {rows} by {columns}{spread} do not fit into images of {x.shape[2]} by {x.shape[3]}"
        )
    # What each element of a filter meets, wherever the filter is.
    met = [
        x[:, :, i : i + down * (height - 1) + 1 : down, j : j + right * (width - 1) + 1 : right]
        for i in range(0, tall, below)
        for j in range(0, wide, beside)
    ]
    weights, own = depth * rows * columns, filters // groups
    places = _np.stack(met, axis=2).reshape(n, groups, weights, height * width)
    places = places.transpose(1, 0, 3, 2).reshape(groups, n * height * width, weights)
    y = places @ w.reshape(groups, own, weights).transpose(0, 2, 1)
    y = y.transpose(1, 0, 2).reshape(n * height * width, filters)
    if b is not None:
        y = y + b
    return y.reshape(n, height, width, filters).transpose(0, 3, 1, 2)


def _check_groups(groups, channels, filters):
    if not isinstance(groups, int):
        raise TypeError("conv2d: `groups` is an int")
    if groups < 1:
        raise ValueError(f"conv2d: `groups` is 1 at least, not {groups}")
    for count, what in ((channels, "channels"), (filters, "filters")):
        if count % groups:
            raise ValueError(f"conv2d: {count} {what} cannot be dealt into {groups} groups")


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
