"""Layers of every net: linear maps, tables of vectors, dropout, and layers one after the other.

Parameters are drawn with `key=`, from `snekpy.random`, and are `float32` unless `dtype=` says otherwise. Weights and biases
begin as in PyTorch, evenly distributed within `1 / sqrt(inputs)`; `init=` is another initialiser for the weights, and then
biases are zero.
"""

import math

from snekpy import numpy as np
from snekpy import random, stop_gradient

from . import initializers
from .activations import prelu

__all__ = ["Dropout", "Embedding", "Flatten", "Identity", "Layer", "Linear", "PReLU", "Sequential"]


class Layer:
    """A layer that is told whether it is trained: it is called with `training=` and `key=`, also by the layers around it.

    Whether a net is trained is an argument and no attribute: so staged code knows it and is made for it, nothing has to be
    set back afterwards, and one model can be trained and looked at in the same function. Nothing said is evaluation. `key` is
    what is drawn with, as by `Dropout`; a layer gives each layer inside another one.
    """


def drawn(key, shape, inputs, init, dtype):
    """Weights from an initialiser, or as PyTorch's."""
    if key is None:
        raise TypeError("`key` is missing: parameters are drawn with a key, as snekpy.random.key(0) gives it")
    if init is not None:
        return init(key, shape, dtype)
    bound = 1 / math.sqrt(inputs) if inputs else 0.0
    return random.uniform(key, shape, dtype, -bound, bound)


def weight_and_bias(key, shape, inputs, biases, init, dtype):
    """Both of a layer; None for what is no bias."""
    weight = drawn(key, shape, inputs, init, dtype)
    if not biases:
        return weight, None
    if init is not None:
        return weight, np.zeros(biases, dtype=dtype)
    return weight, drawn(random.fold_in(key, 1), (biases,), inputs, None, dtype)


def sizes(where, **given):
    """Each of them is a positive int."""
    for name, size in given.items():
        if not isinstance(size, int) or isinstance(size, bool):
            raise TypeError(f"{where}: `{name}` is an int, not {type(size).__name__}")
        if size < 1:
            raise ValueError(f"{where}: `{name}` is 1 at least, not {size}")


def chance(where, name, given):
    """A probability, as a float."""
    if not isinstance(given, (int, float)) or not 0 <= given < 1:
        raise ValueError(f"{where}: `{name}` is a probability, 0 at least and less than 1, not {given!r}")
    return float(given)


def last_axis(where, x, size):
    """Arrays whose last axis is as long as this."""
    if x.shape[-1] != size:
        raise ValueError(f"{where}: the last axis of `x` has {size} numbers, but its shape is {x.shape}")


class Linear:
    """`x @ weight + bias`: `(..., inputs)` to `(..., outputs)`. `weight` is `(inputs, outputs)`, `bias` `(outputs,)` or None.
    """

    def __init__(self, inputs, outputs, bias=True, *, key=None, init=None, dtype="float32"):
        sizes("Linear", inputs=inputs, outputs=outputs)
        biases = outputs if bias else 0
        self.weight, self.bias = weight_and_bias(key, (inputs, outputs), inputs, biases, init, dtype)

    def __call__(self, x):
        last_axis("Linear", x, self.weight.shape[0])
        x = x @ self.weight
        return x if self.bias is None else x + self.bias


class Embedding:
    """A vector for each of `count` things: ints `(...)` to `(..., size)`. `weight` is `(count, size)`, normally distributed.

    What is not below `count` is an IndexError. A table that is also the last layer of a language model (Press and Wolf 2016)
    is used as `x @ embedding.weight.T`.
    """

    def __init__(self, count, size, *, key=None, init=None, dtype="float32"):
        sizes("Embedding", count=count, size=size)
        self.weight = drawn(key, (count, size), size, init or initializers.normal(1.0), dtype)

    def __call__(self, x):
        return self.weight[x]


class Dropout(Layer):
    """Trained, each number is 0 with probability `p`, and the others grow so that the sum is kept (Srivastava et al. 2014).

    A TypeError if it is trained without `key`. Evaluated, `x` as it is.
    """

    def __init__(self, p=0.5):
        self.p = chance("Dropout", "p", p)

    def __call__(self, x, *, training=False, key=None):
        return dropout(x, self.p, key) if training else x


def dropout(x, p, key):
    """Each number with probability 1 - `p`, divided by that, else 0."""
    if key is None:
        raise TypeError("dropout: `key` is missing: a net that is trained is called with training=True and key=")
    stays = 1 - stop_gradient(p)
    return np.where(random.bernoulli(key, stays, x.shape, device=x.device), x / stays, 0)


class PReLU:
    """`prelu` with its slope: one, or as many as the last axis is long. `weight` is `(count,)`, 0.25 at first."""

    def __init__(self, count=1, init=0.25, *, dtype="float32"):
        sizes("PReLU", count=count)
        self.weight = np.full(count, init, dtype=dtype)

    def __call__(self, x):
        return prelu(x, self.weight)


class Flatten:
    """All axes behind the first as one: `(n, ...)` to `(n, size)`."""

    def __call__(self, x):
        return x.reshape(x.shape[0], -1)


class Identity:
    """`x`, whatever it is called with."""

    def __call__(self, x, *, training=False, key=None):
        return x


class Sequential(Layer):
    """Layers one after the other. A layer is anything that is called with `x`: functions, too."""

    def __init__(self, *layers):
        for layer in layers:
            if not callable(layer):
                raise TypeError(f"Sequential: a layer is called with `x`, which {layer!r} cannot be")
        self.layers = list(layers)

    def __call__(self, x, *, training=False, key=None):
        for n, layer in enumerate(self.layers):
            if isinstance(layer, Layer):
                x = layer(x, training=training, key=None if key is None else random.fold_in(key, n))
            else:
                x = layer(x)
        return x

    def __len__(self):
        return len(self.layers)

    def __getitem__(self, at):
        return Sequential(*self.layers[at]) if isinstance(at, slice) else self.layers[at]
