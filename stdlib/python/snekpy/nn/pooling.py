"""Pooling: of each window of a series or an image one number, the greatest or the mean."""

from snekpy import numpy as np

from .convolution import padded, pair_of

__all__ = [
    "AvgPool1d", "AvgPool2d", "GlobalAvgPool", "MaxPool1d", "MaxPool2d", "avg_pool1d", "avg_pool2d", "max_pool1d", "max_pool2d",
]


def max_pool2d(x, size, *, stride=None, padding=0):
    """The greatest number in each window of `(n, channels, height, width)`.

    `size` is an int, or a pair for rows and columns; so is `stride`, how far a window is from the next (`size` if nothing is
    said), and `padding`, how far windows reach beyond the edge, where nothing is. The slope goes to the first of equals.
    """
    total = None
    for part in _windows("max_pool2d", x, size, stride, padding, -float("inf")):
        total = part if total is None else np.maximum(total, part)
    return total


def avg_pool2d(x, size, *, stride=None, padding=0):
    """The mean of each window, as `max_pool2d`; beyond the edge are zeros, which count, as in PyTorch."""
    parts = _windows("avg_pool2d", x, size, stride, padding, 0.0)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total / len(parts)


def max_pool1d(x, size, *, stride=None, padding=0):
    """`max_pool2d` of series `(n, channels, length)`."""
    return max_pool2d(*_as_images("max_pool1d", x, size), stride=_across(stride, 1), padding=_across(padding, 0))[:, :, 0]


def avg_pool1d(x, size, *, stride=None, padding=0):
    """`avg_pool2d` of series `(n, channels, length)`."""
    return avg_pool2d(*_as_images("avg_pool1d", x, size), stride=_across(stride, 1), padding=_across(padding, 0))[:, :, 0]


def _as_images(where, x, size):
    if x.ndim != 3:
        raise ValueError(f"{where}: `x` is (n, channels, length), not of the shape {x.shape}")
    return x[:, :, None], (1, size)


def _across(given, down):
    return None if given is None else (down, given)


def _windows(where, x, size, stride, padding, beyond):
    """For each place in a window, what all windows have there."""
    if x.ndim != 4:
        raise ValueError(f"{where}: `x` is (n, channels, height, width), not of the shape {x.shape}")
    rows, columns = pair_of(where, size, 1, "size")
    down, right = (rows, columns) if stride is None else pair_of(where, stride, 1, "stride")
    above, left = pair_of(where, padding, 0, "padding")
    if 2 * above > rows or 2 * left > columns:
        raise ValueError(f"{where}: `padding` is half of `size` at most, not {padding}")
    x = padded(padded(x, 2, above, beyond), 3, left, beyond)
    if x.shape[2] < rows or x.shape[3] < columns:
        raise ValueError(f"{where}: windows of {rows} by {columns} do not fit into images of {x.shape[2]} by {x.shape[3]}")
    tall, wide = down * ((x.shape[2] - rows) // down) + 1, right * ((x.shape[3] - columns) // right) + 1
    return [x[:, :, i : i + tall : down, j : j + wide : right] for i in range(rows) for j in range(columns)]


class _Pool:
    def __init__(self, size, *, stride=None, padding=0):
        self.size, self.stride, self.padding = size, stride, padding

    def __call__(self, x):
        return type(self).function(x, self.size, stride=self.stride, padding=self.padding)


class MaxPool1d(_Pool):
    """`max_pool1d` as a layer."""

    function = staticmethod(max_pool1d)


class MaxPool2d(_Pool):
    """`max_pool2d` as a layer."""

    function = staticmethod(max_pool2d)


class AvgPool1d(_Pool):
    """`avg_pool1d` as a layer."""

    function = staticmethod(avg_pool1d)


class AvgPool2d(_Pool):
    """`avg_pool2d` as a layer."""

    function = staticmethod(avg_pool2d)


class GlobalAvgPool:
    """The mean over all places: `(n, channels, ...)` to `(n, channels)`."""

    def __call__(self, x):
        return np.mean(x, axis=tuple(range(2, x.ndim)))
