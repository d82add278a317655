"""Gradients by models whose buffers go on while they are computed, as a batch norm's running statistics do."""

import snekpy
from snekpy import numpy as np
from snekpy import tree

__all__ = ["value_and_grad"]


def value_and_grad(loss, has_aux=False):
    """As `snekpy.value_and_grad` by the first argument, for models in which calls assign arrays.

    The loss is given a copy of the model that shares its arrays. Those that the call has put in place of others are written
    into the model's own when the gradient is there. So the function that is differentiated changes nothing outside itself, and
    staged loops run it as compiled code. Arrays are all that is kept: a number that the call assigns is lost with the copy.
    """

    # A text is known when code is made.
    gives = "value and aux" if has_aux else "value"

    def call(model, *args):
        (value, (aux, after)), grads = _slopes(loss, gives, model, args)
        for old, new in zip(tree.leaves(model), after):
            if new is not None:
                old[...] = new
        return ((value, aux) if gives == "value and aux" else value), grads

    return call


def _with_buffers(loss, gives, model, args):
    """The loss, what comes with it, and for each leaf the array that is there now; None where it is the same one."""
    leaves, structure = tree.flatten(model)
    copy = tree.unflatten(structure, leaves)
    value, aux = loss(copy, *args) if gives == "value and aux" else (loss(copy, *args), None)
    after = tree.leaves_like(structure, copy)
    return value, (aux, tuple([_other(old, new) for old, new in zip(leaves, after)]))


def _other(old, new):
    return new if isinstance(old, np.ndarray) and new is not old else None


_slopes = snekpy.value_and_grad(_with_buffers, argnums=2, has_aux=True)
