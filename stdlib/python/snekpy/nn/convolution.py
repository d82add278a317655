"""Convolutions: filters that are moved over series and images."""

import math

from snekpy import numpy as np

from .layers import sizes, weight_and_bias

__all__ = ["Conv1d", "Conv2d", "conv1d", "conv2d"]


def conv1d(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    """`conv2d` of series `(n, channels, length)` with filters `(filters, depth, size)`: to `(n, filters, ...)`."""
    x, w = np.asarray(x), np.asarray(w)
    if x.ndim != 3 or w.ndim != 3:
        raise ValueError(f"conv1d: series and filters have 3 axes, not {x.ndim} and {w.ndim}")
    for name, given in (("stride", stride), ("padding", padding), ("dilation", dilation)):
        if not isinstance(given, int):
            raise TypeError(f"conv1d: `{name}` is an int")
    y = conv2d(
        x[:, :, None], w[:, :, None], b, stride=(1, stride), padding=(0, padding), dilation=(1, dilation), groups=groups
    )
    return y[:, :, 0]


def conv2d(x, w, b=None, *, stride=1, padding=0, dilation=1, groups=1):
    """The cross-correlation of images `(n, channels, height, width)` with filters `(filters, depth, rows, columns)`.

    `b` is a number for each filter. `stride` says how far filters move, `padding` how many zeros there are before the first
    and behind the last row and column, `dilation` how far the elements of a filter are from each other; each is an int, or a
    pair for rows and columns. Channels and filters are dealt into as many `groups`, in order, each of which is by itself: the
    filters have `depth` channels each, as many as a group has. The result is `(n, filters, ...)`.

    It is one product of matrices for each group: each place that a filter comes to is a row of one.
    """
    x, w = np.asarray(x), np.asarray(w)
    if x.ndim != 4 or w.ndim != 4:
        raise ValueError(f"conv2d: images and filters have 4 axes, not {x.ndim} and {w.ndim}")
    n, channels, _, _ = x.shape
    filters, depth, rows, columns = w.shape
    _check_groups(groups, channels, filters)
    if channels != depth * groups:
        of_groups = f" of {groups} groups" if groups > 1 else ""
        raise ValueError(f"conv2d: the images have {channels} channels, the filters {depth}{of_groups}")
    down, right = pair_of("conv2d", stride, 1, "stride")
    above, left = pair_of("conv2d", padding, 0, "padding")
    below, beside = pair_of("conv2d", dilation, 1, "dilation")
    x = padded(padded(x, 2, above), 3, left)
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
    places = np.stack(met, axis=2).reshape(n, groups, weights, height * width)
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


def pair_of(where, given, least, what):
    """For rows and columns: an int stands for both."""
    pair = (given, given) if isinstance(given, int) else given
    if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(it, int) for it in pair):
        raise TypeError(f"{where}: `{what}` is an int, or a pair of them")
    if pair[0] < least or pair[1] < least:
        raise ValueError(f"{where}: `{what}` is {least} at least, not {given}")
    return pair


def padded(x, axis, by, value=0.0):
    """With so many of these before and behind along an axis."""
    if by == 0:
        return x
    beside = np.full(x.shape[:axis] + (by,) + x.shape[axis + 1 :], value, dtype=x.dtype, device=x.device)
    return np.concatenate([beside, x, beside], axis=axis)


class Conv2d:
    """`conv2d` with filters that are learned: `(n, inputs, height, width)` to `(n, outputs, ...)`.

    `size`, `stride`, `padding` and `dilation` are an int, or a pair for rows and columns; `padding="same"` keeps height and
    width, for a stride of 1 and filters of odd sizes. `weight` is `(outputs, inputs / groups, rows, columns)`, `bias`
    `(outputs,)` or None.
    """

    def __init__(
        self, inputs, outputs, size, *, stride=1, padding=0, dilation=1, groups=1, bias=True, key=None, init=None,
        dtype="float32",
    ):
        sizes("Conv2d", inputs=inputs, outputs=outputs)
        _check_groups(groups, inputs, outputs)
        rows, columns = pair_of("Conv2d", size, 1, "size")
        self.stride, self.dilation = pair_of("Conv2d", stride, 1, "stride"), pair_of("Conv2d", dilation, 1, "dilation")
        self.padding, self.groups = _padding("Conv2d", padding, (rows, columns), self.dilation), groups
        depth = inputs // groups
        self.weight, self.bias = _filters(key, (outputs, depth, rows, columns), bias, init, dtype)

    def __call__(self, x):
        how = {"stride": self.stride, "padding": self.padding, "dilation": self.dilation, "groups": self.groups}
        return conv2d(x, self.weight, self.bias, **how)


class Conv1d:
    """`conv1d` with filters that are learned: `(n, inputs, length)` to `(n, outputs, ...)`. Settings are those of `Conv2d`,
    ints. `weight` is `(outputs, inputs / groups, size)`.
    """

    def __init__(
        self, inputs, outputs, size, *, stride=1, padding=0, dilation=1, groups=1, bias=True, key=None, init=None,
        dtype="float32",
    ):
        sizes("Conv1d", inputs=inputs, outputs=outputs, size=size, stride=stride, dilation=dilation)
        _check_groups(groups, inputs, outputs)
        self.stride, self.dilation, self.groups = stride, dilation, groups
        self.padding = _padding("Conv1d", padding, (1, size), (1, dilation))[1]
        self.weight, self.bias = _filters(key, (outputs, inputs // groups, size), bias, init, dtype)

    def __call__(self, x):
        how = {"stride": self.stride, "padding": self.padding, "dilation": self.dilation, "groups": self.groups}
        return conv1d(x, self.weight, self.bias, **how)


def _padding(where, given, size, dilation):
    if given != "same":
        return pair_of(where, given, 0, "padding")
    spread = [by * (it - 1) for it, by in zip(size, dilation)]
    if any(it % 2 for it in spread):
        raise ValueError(f"{where}: with padding='same' sizes are odd, not {size}")
    return spread[0] // 2, spread[1] // 2


def _filters(key, shape, bias, init, dtype):
    """Initialisers have what goes in and out last; filters come first here."""
    inputs = math.prod(shape[1:])
    if init is None:
        return weight_and_bias(key, shape, inputs, shape[0] if bias else 0, None, dtype)
    made, bias = weight_and_bias(key, shape[2:] + (shape[1], shape[0]), inputs, shape[0] if bias else 0, init, dtype)
    return np.ascontiguousarray(np.moveaxis(made, (-1, -2), (0, 1))), bias
