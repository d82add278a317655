"""Attention: each place of a series looks at the others, and takes of each a share (Vaswani et al. 2017).

Series are `(batch, places, size)`. A *mask* says what may be looked at: bools, where True is what may, or floats that are added
to the scores; of a shape that goes with `(batch, heads, queries, keys)`. To leave out padding, `mask` is `(batch, 1, 1, keys)`.
"""

import math

from snekpy import numpy as np
from snekpy import random

from .activations import relu, softmax
from .layers import Layer, Linear, chance, dropout, sizes
from .norms import LayerNorm

__all__ = [
    "KeyValueCache", "MultiHeadAttention", "TransformerDecoderLayer", "TransformerEncoderLayer", "causal_mask",
    "scaled_dot_product_attention", "sinusoidal_positions",
]


def scaled_dot_product_attention(query, key, value, mask=None, *, scale=None, dropout_p=0.0, dropout_key=None):
    """`softmax(query @ key.T * scale) @ value`: `(..., queries, size)`, `(..., keys, size)` and `(..., keys, any)`.

    `scale` is `1 / sqrt(size)` if nothing is said. What may look at nothing looks at everything alike. With `dropout_key`
    shares are dropped with probability `dropout_p`.
    """
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"attention: `query`, `key` and `value` do not fit each other: {query.shape}, {key.shape}, {value.shape}"
        )
    scores = query @ np.swapaxes(key, -1, -2) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if mask is not None:
        if mask.dtype.kind == "b":
            scores = np.where(mask, scores, np.finfo(scores.dtype).min)
        else:
            scores = scores + mask
    shares = softmax(scores)
    if dropout_key is not None:
        shares = dropout(shares, dropout_p, dropout_key)
    return shares @ value


def causal_mask(queries, keys=None, before=0, *, device=None):
    """What lies before: `(queries, keys)`, where each query may look at the keys up to itself. There are `before` keys in
    front of the first query."""
    keys = queries + before if keys is None else keys
    return np.arange(keys, device=device) <= np.expand_dims(np.arange(queries, device=device), 1) + before


def sinusoidal_positions(places, size, dtype="float32", *, device=None):
    """What is added to a series so that its places differ, `(places, size)`: sines in the first half of the last axis and
    cosines in the second, whose waves get longer, up to 10,000 * 2 pi."""
    half = size // 2
    if half * 2 != size:
        raise ValueError(f"sinusoidal_positions: `size` is even, not {size}")
    slower = np.exp(np.arange(half, device=device) * (-math.log(10000.0) / half))
    turns = np.expand_dims(np.arange(places, device=device), 1) * slower
    return np.concatenate([np.sin(turns), np.cos(turns)], axis=1).astype(dtype)


class KeyValueCache:
    """The keys and values of the places that have been, so that each new one costs one place and not all of them.

    `keys` and `values` are `(batch, heads, limit, size)`, of which the first `length` places are filled. It goes on with each
    call that it is passed to. A ValueError where there is no more room.
    """

    def __init__(self, batch, heads, limit, size, *, dtype="float32", device=None):
        sizes("KeyValueCache", batch=batch, heads=heads, limit=limit, size=size)
        self.keys = np.zeros((batch, heads, limit, size), dtype=dtype, device=device)
        self.values = np.zeros((batch, heads, limit, size), dtype=dtype, device=device)
        self.length = 0

    def put(self, keys, values):
        """Adds some places. All keys and values, and what of them the new places may look at."""
        before, count, limit = self.length, keys.shape[2], self.keys.shape[2]
        if before + count > limit:
            raise ValueError(f"KeyValueCache: {before} places and {count} more do not fit into `limit`, which is {limit}")
        self.keys[:, :, before : before + count] = keys
        self.values[:, :, before : before + count] = values
        self.length = before + count
        return self.keys, self.values, causal_mask(count, limit, before, device=self.keys.device)


class MultiHeadAttention(Layer):
    """Attention by several heads, each with a part of the numbers: `(batch, places, size)` to the same shape.

    `query`, `key`, `value` and `out` are linear maps of `size`. Each place looks at those of `context`, or of `x` itself;
    with `causal=True` at those before it and itself, and as `mask` says. With `cache`, from `self.cache(batch, limit)`, `x` are
    the places behind those that have been: they look at these and, causally, at each other. Trained, shares are dropped
    with probability `dropout`.
    """

    def __init__(self, size, heads, *, bias=True, dropout=0.0, key=None, init=None, dtype="float32"):
        sizes("MultiHeadAttention", size=size, heads=heads)
        if size % heads:
            raise ValueError(f"MultiHeadAttention: `size`, {size}, cannot be dealt out to {heads} heads")
        keys = (None,) * 4 if key is None else random.split(key, 4)
        self.query, self.key, self.value, self.out = (
            Linear(size, size, bias, key=it, init=init, dtype=dtype) for it in keys
        )
        self.heads = heads
        self.dropout = chance("MultiHeadAttention", "dropout", dropout) if dropout else None

    def cache(self, batch, limit):
        """A cache for so many series of so many places at most."""
        weight = self.query.weight
        each = weight.shape[1] // self.heads
        return KeyValueCache(batch, self.heads, limit, each, dtype=weight.dtype, device=weight.device)

    def __call__(self, x, context=None, *, mask=None, causal=False, cache=None, training=False, key=None):
        if x.ndim != 3:
            raise ValueError(f"MultiHeadAttention: `x` is (batch, places, size), not of the shape {x.shape}")
        if context is None:
            context = x
        queries, keys, values = self._split(self.query(x)), self._split(self.key(context)), self._split(self.value(context))
        if cache is not None:
            keys, values, before = cache.put(keys, values)
            mask = _both(mask, before)
        elif causal:
            mask = _both(mask, causal_mask(x.shape[1], context.shape[1], device=x.device))
        if not training or self.dropout is None:
            found = scaled_dot_product_attention(queries, keys, values, mask)
        elif key is None:
            raise TypeError("MultiHeadAttention: `key` is missing: a net that is trained is called with training=True and key=")
        else:
            found = scaled_dot_product_attention(queries, keys, values, mask, dropout_p=self.dropout, dropout_key=key)
        return self.out(found.transpose(0, 2, 1, 3).reshape(x.shape))

    def _split(self, x):
        """`(batch, places, size)` as `(batch, heads, places, size / heads)`."""
        return x.reshape(x.shape[0], x.shape[1], self.heads, x.shape[2] // self.heads).transpose(0, 2, 1, 3)


def _both(mask, other):
    if mask is None:
        return other
    if mask.dtype.kind == "b":
        return mask & other
    return np.where(other, mask, np.finfo(mask.dtype).min)


class _Block(Layer):
    """What encoders and decoders have in common: each part is added to what it was made of, dropped, and normed."""

    def _add(self, x, norm, part, key):
        """`norm(x + part(x))`, or `x + part(norm(x))` where norms come first."""
        if self.order == "first":
            return x + self._dropped(part(norm(x)), key)
        return norm(x + self._dropped(part(x), key))

    def _dropped(self, x, key):
        return x if key is None else dropout(x, self.dropout, key)

    def _inner(self, x, key):
        return self.linear2(self._dropped(self.act(self.linear1(x)), key))

    def _keys(self, training, key, count):
        """Keys for what is dropped; None for each if nothing is."""
        if not training or self.dropout is None:
            return [None] * count
        if key is None:
            where = type(self).__name__
            raise TypeError(f"{where}: `key` is missing: a net that is trained is called with training=True and key=")
        return [random.fold_in(key, n) for n in range(count)]

    def _begin(self, size, heads, inner, dropout, activation, norm_first, keys, dtype):
        where = type(self).__name__
        sizes(where, size=size, heads=heads)
        inner = 4 * size if inner is None else inner
        self.self_attention = MultiHeadAttention(size, heads, dropout=dropout, key=keys[0], dtype=dtype)
        self.linear1 = Linear(size, inner, key=keys[1], dtype=dtype)
        self.linear2 = Linear(inner, size, key=keys[2], dtype=dtype)
        self.norm1, self.norm2 = LayerNorm(size, dtype=dtype), LayerNorm(size, dtype=dtype)
        self.act, self.dropout = activation, chance(where, "dropout", dropout) if dropout else None
        # A text is known when code is made.
        self.order = "first" if norm_first else "last"


class TransformerEncoderLayer(_Block):
    """Self-attention, then two linear maps of each place: `(batch, places, size)` to the same shape.

    Both are added to what they were made of, and normed, before (`norm_first=True`, Xiong et al. 2020) or behind that. Between
    the two maps are `inner` numbers, four times `size` if nothing is said, and `activation`. With `causal=True` and `cache` it
    is the layer of a language model.
    """

    def __init__(
        self, size, heads, inner=None, *, dropout=0.1, activation=relu, norm_first=False, key=None, dtype="float32"
    ):
        keys = (None,) * 3 if key is None else random.split(key, 3)
        self._begin(size, heads, inner, dropout, activation, norm_first, keys, dtype)

    def cache(self, batch, limit):
        """A cache for its attention."""
        return self.self_attention.cache(batch, limit)

    def __call__(self, x, *, mask=None, causal=False, cache=None, training=False, key=None):
        k1, k2, k3, k4 = self._keys(training, key, 4)
        how = {"mask": mask, "causal": causal, "cache": cache, "training": training, "key": k1}
        x = self._add(x, self.norm1, lambda x: self.self_attention(x, **how), k2)
        return self._add(x, self.norm2, lambda x: self._inner(x, k3), k4)


class TransformerDecoderLayer(_Block):
    """`TransformerEncoderLayer` whose places look at those before them, and then at what an encoder has made, `context`:
    `(batch, places, size)` and `(batch, others, size)` to the shape of the first. `context_mask` says what of `context` may
    be looked at."""

    def __init__(
        self, size, heads, inner=None, *, dropout=0.1, activation=relu, norm_first=False, key=None, dtype="float32"
    ):
        keys = (None,) * 4 if key is None else random.split(key, 4)
        self._begin(size, heads, inner, dropout, activation, norm_first, keys, dtype)
        self.cross_attention = MultiHeadAttention(size, heads, dropout=dropout, key=keys[3], dtype=dtype)
        self.norm3 = LayerNorm(size, dtype=dtype)

    def cache(self, batch, limit):
        """A cache for its attention to what has been."""
        return self.self_attention.cache(batch, limit)

    def __call__(self, x, context, *, mask=None, context_mask=None, cache=None, training=False, key=None):
        k1, k2, k3, k4, k5, k6 = self._keys(training, key, 6)
        how = {"mask": mask, "causal": True, "cache": cache, "training": training, "key": k1}
        x = self._add(x, self.norm1, lambda x: self.self_attention(x, **how), k2)
        how = {"mask": context_mask, "training": training, "key": k3}
        x = self._add(x, self.norm2, lambda x: self.cross_attention(x, context, **how), k4)
        return self._add(x, self.norm3, lambda x: self._inner(x, k5), k6)
