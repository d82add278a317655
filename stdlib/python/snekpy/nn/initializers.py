"""What parameters begin with, under the names of `jax.nn.initializers`.

`zeros` and `ones` are initialisers; the others make one of their settings. An initialiser is called with a key of
`snekpy.random`, a shape, and a dtype: `he_normal()(key, (784, 128))`. Of the axes of the shape one counts what goes in and
one what comes out, the last two if nothing else is said; the others are places, as those of a filter, each of which has both.
"""

import math

from snekpy import numpy as np
from snekpy import random

__all__ = [
    "constant", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "kaiming_normal", "kaiming_uniform",
    "lecun_normal", "lecun_uniform", "normal", "ones", "orthogonal", "truncated_normal", "uniform", "variance_scaling",
    "xavier_normal", "xavier_uniform", "zeros",
]

# The standard deviation of a normal distribution that is cut at two of its own.
_CUT = 0.87962566103423978


def zeros(key, shape, dtype="float32"):
    """Zeros."""
    return np.zeros(shape, dtype=dtype)


def ones(key, shape, dtype="float32"):
    """Ones."""
    return np.ones(shape, dtype=dtype)


def constant(value, dtype="float32"):
    """The same number everywhere."""
    return lambda key, shape, dtype=dtype: np.full(shape, value, dtype=dtype)


def uniform(scale=1e-2, dtype="float32"):
    """Evenly distributed from 0 to `scale`."""
    return lambda key, shape, dtype=dtype: random.uniform(key, shape, dtype, 0.0, scale)


def normal(stddev=1e-2, dtype="float32"):
    """Normally distributed about 0."""
    return lambda key, shape, dtype=dtype: random.normal(key, shape, dtype) * stddev


def truncated_normal(stddev=1e-2, dtype="float32", lower=-2.0, upper=2.0):
    """Normally distributed about 0, drawn again beyond so many of `stddev` (which the result falls short of for that)."""
    return lambda key, shape, dtype=dtype: random.truncated_normal(key, lower, upper, shape, dtype) * stddev


def fans(shape, in_axis=-2, out_axis=-1):
    """How many numbers each result is made of, and how many results each number goes into."""
    if len(shape) < 2:
        raise ValueError(f"initialisers that go by what goes in and out need 2 axes at least, not the shape {tuple(shape)}")
    places = math.prod(shape) / shape[in_axis] / shape[out_axis] if math.prod(shape) else 1.0
    return shape[in_axis] * places, shape[out_axis] * places


def variance_scaling(scale, mode, distribution, in_axis=-2, out_axis=-1, dtype="float32"):
    """Of variance `scale / n`, where `n` is what goes in (`mode="fan_in"`), out (`"fan_out"`), or their mean (`"fan_avg"`).

    The distribution is `"normal"`, `"truncated_normal"` or `"uniform"`.
    """
    if mode not in ("fan_in", "fan_out", "fan_avg"):
        raise ValueError(f"`mode` is 'fan_in', 'fan_out' or 'fan_avg', not {mode!r}")
    if distribution not in ("normal", "truncated_normal", "uniform"):
        raise ValueError(f"`distribution` is 'normal', 'truncated_normal' or 'uniform', not {distribution!r}")

    def draw(key, shape, dtype=dtype):
        come, go = fans(shape, in_axis, out_axis)
        deviation = math.sqrt(scale / max(1.0, {"fan_in": come, "fan_out": go, "fan_avg": (come + go) / 2}[mode]))
        if distribution == "normal":
            return random.normal(key, shape, dtype) * deviation
        if distribution == "uniform":
            return random.uniform(key, shape, dtype, -math.sqrt(3) * deviation, math.sqrt(3) * deviation)
        return random.truncated_normal(key, -2.0, 2.0, shape, dtype) * (deviation / _CUT)

    return draw


def glorot_uniform(in_axis=-2, out_axis=-1, dtype="float32"):
    """Variance 2 / (in + out), evenly (Glorot and Bengio 2010): for `tanh`."""
    return variance_scaling(1.0, "fan_avg", "uniform", in_axis, out_axis, dtype)


def glorot_normal(in_axis=-2, out_axis=-1, dtype="float32"):
    """Variance 2 / (in + out), normally, cut at two deviations."""
    return variance_scaling(1.0, "fan_avg", "truncated_normal", in_axis, out_axis, dtype)


def he_uniform(in_axis=-2, out_axis=-1, dtype="float32"):
    """Variance 2 / in, evenly (He et al. 2015): for `relu`."""
    return variance_scaling(2.0, "fan_in", "uniform", in_axis, out_axis, dtype)


def he_normal(in_axis=-2, out_axis=-1, dtype="float32"):
    """Variance 2 / in, normally, cut at two deviations."""
    return variance_scaling(2.0, "fan_in", "truncated_normal", in_axis, out_axis, dtype)


def lecun_uniform(in_axis=-2, out_axis=-1, dtype="float32"):
    """Variance 1 / in, evenly (LeCun et al. 1998): for `selu`."""
    return variance_scaling(1.0, "fan_in", "uniform", in_axis, out_axis, dtype)


def lecun_normal(in_axis=-2, out_axis=-1, dtype="float32"):
    """Variance 1 / in, normally, cut at two deviations."""
    return variance_scaling(1.0, "fan_in", "truncated_normal", in_axis, out_axis, dtype)


def orthogonal(scale=1.0, column_axis=-1, dtype="float32"):
    """A matrix whose columns, or rows where those are fewer, are orthogonal to each other and of length `scale` (Saxe et al.
    2013). Of more than two axes all but `column_axis` are rows."""

    def draw(key, shape, dtype=dtype):
        if len(shape) < 2:
            raise ValueError(f"orthogonal needs 2 axes at least, not the shape {tuple(shape)}")
        columns = shape[column_axis]
        rows = math.prod(shape) // max(1, columns)
        q, r = np.linalg.qr(random.normal(key, (max(rows, columns), min(rows, columns)), "float64"))
        # Only so is each such matrix equally likely.
        q = q * np.sign(np.diagonal(r))
        q = q if rows >= columns else q.T
        others = shape[:column_axis] + (shape[column_axis + 1 :] if column_axis != -1 else ())
        made = np.moveaxis(q.reshape(tuple(others) + (columns,)), -1, column_axis)
        return np.ascontiguousarray(made * scale).astype(dtype)

    return draw


# PyTorch's names.
xavier_uniform, xavier_normal = glorot_uniform, glorot_normal
kaiming_uniform, kaiming_normal = he_uniform, he_normal
