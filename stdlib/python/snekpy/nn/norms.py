"""Norms: what goes through a net is brought to mean 0 and variance 1, and then to a mean and variance that are learned."""

from snekpy import numpy as np
from snekpy import stop_gradient

from .layers import Layer, last_axis, sizes

__all__ = ["BatchNorm", "GroupNorm", "LayerNorm", "RMSNorm"]


class LayerNorm:
    """Over the last axis, each example by itself (Ba et al. 2016): `(..., size)`. `weight` and `bias` are `(size,)`."""

    def __init__(self, size, eps=1e-5, bias=True, *, dtype="float32"):
        sizes("LayerNorm", size=size)
        self.weight, self.bias = np.ones(size, dtype=dtype), np.zeros(size, dtype=dtype) if bias else None
        self.eps = float(eps)

    def __call__(self, x):
        last_axis("LayerNorm", x, self.weight.shape[0])
        x = x - np.mean(x, axis=-1, keepdims=True)
        x = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + stop_gradient(self.eps)) * self.weight
        return x if self.bias is None else x + self.bias


class RMSNorm:
    """Over the last axis, divided by the root of the mean square, means left as they are (Zhang and Sennrich 2019):
    `(..., size)`. `weight` is `(size,)`."""

    def __init__(self, size, eps=1e-6, *, dtype="float32"):
        sizes("RMSNorm", size=size)
        self.weight, self.eps = np.ones(size, dtype=dtype), float(eps)

    def __call__(self, x):
        last_axis("RMSNorm", x, self.weight.shape[0])
        return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + stop_gradient(self.eps)) * self.weight


class GroupNorm:
    """Over places and groups of channels, each example by itself (Wu and He 2018): `(n, channels, ...)`, whose channels are
    dealt into so many groups, in order. `weight` and `bias` are `(channels,)`."""

    def __init__(self, groups, channels, eps=1e-5, *, dtype="float32"):
        sizes("GroupNorm", groups=groups, channels=channels)
        if channels % groups:
            raise ValueError(f"GroupNorm: {channels} channels cannot be dealt into {groups} groups")
        self.weight, self.bias = np.ones(channels, dtype=dtype), np.zeros(channels, dtype=dtype)
        self.groups, self.eps = groups, float(eps)

    def __call__(self, x):
        check_channels("GroupNorm", x, self.weight)
        parts = x.reshape(x.shape[0], self.groups, -1)
        parts = parts - np.mean(parts, axis=-1, keepdims=True)
        parts = parts / np.sqrt(np.mean(parts * parts, axis=-1, keepdims=True) + stop_gradient(self.eps))
        shape = along_channels(x)
        return parts.reshape(x.shape) * self.weight.reshape(shape) + self.bias.reshape(shape)


class BatchNorm(Layer):
    """Over examples and places, each channel by itself (Ioffe and Szegedy 2015): `(n, channels)` or `(n, channels, ...)`.
    `weight` and `bias` are `(channels,)`.

    Trained, mean and variance are those of the batch, and `running_mean` and `running_var`, which are buffers, go on by
    `momentum` of the way to them (to the variance that is divided by one less, as PyTorch's). Evaluated, these are taken. They
    are other arrays after each step, not changed in place: a gradient may be going back through the old ones. In staged loops
    gradients are those of `nn.value_and_grad`.
    """

    buffers = ("running_mean", "running_var")

    def __init__(self, channels, eps=1e-5, momentum=0.1, *, dtype="float32"):
        sizes("BatchNorm", channels=channels)
        self.weight, self.bias = np.ones(channels, dtype=dtype), np.zeros(channels, dtype=dtype)
        self.running_mean, self.running_var = np.zeros(channels, dtype=dtype), np.ones(channels, dtype=dtype)
        self.eps, self.momentum = float(eps), float(momentum)

    def __call__(self, x, *, training=False, key=None):
        check_channels("BatchNorm", x, self.weight)
        shape = along_channels(x)
        if training:
            axes = (0,) + tuple(range(2, x.ndim))
            mean = np.mean(x, axis=axes)
            x = x - mean.reshape(shape)
            var = np.mean(x * x, axis=axes)
            self._go_on(stop_gradient(mean), stop_gradient(var), x.size // x.shape[1])
        else:
            mean, var = stop_gradient(self.running_mean), stop_gradient(self.running_var)
            x = x - mean.reshape(shape)
        scale = self.weight / np.sqrt(var + stop_gradient(self.eps))
        return x * scale.reshape(shape) + self.bias.reshape(shape)

    def _go_on(self, mean, var, count):
        if count < 2:
            raise ValueError("BatchNorm: a batch that is trained has more than one number for each channel")
        part = stop_gradient(self.momentum)
        self.running_mean = (1 - part) * stop_gradient(self.running_mean) + part * mean
        self.running_var = (1 - part) * stop_gradient(self.running_var) + part * (var * (count / (count - 1)))


def check_channels(where, x, weight):
    """Arrays with these channels on the second axis."""
    if x.ndim < 2 or x.shape[1] != weight.shape[0]:
        raise ValueError(f"{where}: axis 1 of `x` are {weight.shape[0]} channels, but its shape is {x.shape}")


def along_channels(x):
    """The shape of an array over channels that goes with `x`."""
    return (-1,) + (1,) * (x.ndim - 2)
