"""Limits of gradients: trees like `grads`, in which nothing is too large."""

from snekpy import numpy as np
from snekpy import tree

__all__ = ["clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm"]


def global_norm(grads):
    """The root of the sum of the squares of all numbers in a tree: its length, as of one long vector. What is in several
    places counts in each."""
    total = 0.0
    for it in tree.leaves(grads):
        total = total + np.sum(it * it)
    return np.sqrt(total)


def clip_by_global_norm(grads, limit):
    """All gradients times one number, so that together they are not longer than the limit (Pascanu et al. 2013); as they are
    if they are shorter."""
    factor = _factor(global_norm(grads), limit)
    return tree.map(lambda it: it * factor, grads)


def clip_by_norm(grads, limit):
    """Each gradient by itself, so that it is not longer than the limit."""
    return tree.map(lambda it: it * _factor(np.sqrt(np.sum(it * it)), limit), grads)


def clip_by_value(grads, limit):
    """Each number between `-limit` and `limit`."""
    return tree.map(lambda it: np.clip(it, -limit, limit), grads)


def _factor(norm, limit):
    return np.minimum(1.0, limit / np.maximum(norm, 1e-12))
