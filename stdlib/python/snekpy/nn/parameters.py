"""What of a model is trained, what is kept, and what its parts are called."""

import copy

from snekpy import numpy as np
from snekpy import tree

__all__ = ["buffers", "parameters", "state", "to"]


def parameters(model):
    """The arrays of floats that are trained, by name: `{"layers.0.weight": ...}`. One that is in two places is there once,
    by its first name."""
    return {name: leaf for name, leaf, kept in _once(model) if not kept and leaf.dtype.kind == "f"}


def buffers(model):
    """The arrays that are state and are not trained, by name: those that a class names in `buffers`, and those that are not
    of floats."""
    return {name: leaf for name, leaf, kept in _once(model) if kept or leaf.dtype.kind != "f"}


def state(model):
    """All arrays, by name: what `save` writes and `load` fills."""
    return {name: leaf for name, leaf, _ in _once(model)}


def to(model, device):
    """A copy of a model whose arrays are on a device: `"cpu"`, `"cuda"`. What is one array or object in it is one in the copy.

    An optimiser is made for the copy.
    """
    moved = {id(leaf): leaf.copy().to(device) for leaf in tree.leaves(model) if isinstance(leaf, np.ndarray)}
    return copy.deepcopy(model, moved)


def places(model):
    """What each leaf is, in the order of `tree.leaves`: `"parameter"`; `"again"`, if it is a parameter that has been in
    another place, and the gradient there is a part of the whole; `"buffer"`; else None.

    Of an object that is in several places the gradient is the whole in each: it counts where the object is first.
    """
    seen, found = set(), []
    for _, leaf, kept, new in walk(model, seen=set()):
        if not isinstance(leaf, np.ndarray) or not new:
            found.append(None)
        elif kept or leaf.dtype.kind != "f":
            found.append("buffer")
        else:
            found.append("again" if id(leaf) in seen else "parameter")
            seen.add(id(leaf))
    return found


def _once(model):
    seen = set()
    for name, leaf, kept, _ in walk(model, seen=set()):
        if isinstance(leaf, np.ndarray) and id(leaf) not in seen:
            seen.add(id(leaf))
            yield name, leaf, kept


def walk(it, name="", kept=False, new=True, *, seen):
    """The leaves of a tree, in order: each with its name, whether it is in a buffer, and whether what it is in is new."""
    leaves = tree.leaves(it)
    if len(leaves) == 1 and leaves[0] is it:
        yield name, it, kept, new
        return
    new = new and id(it) not in seen
    seen.add(id(it))
    buffers = ()
    if isinstance(it, dict):
        parts = it.items()
    elif isinstance(it, (list, tuple)):
        parts = zip(getattr(it, "_fields", range(len(it))), it)
    elif it is None:
        parts = ()
    else:
        parts = vars(it).items() if hasattr(it, "__dict__") else _slots(it)
        buffers = _buffers(type(it))
    for key, part in parts:
        yield from walk(part, f"{name}.{key}" if name else str(key), kept or key in buffers, new, seen=seen)


def _buffers(kind):
    """What a class and its bases name in `buffers`, if that is a list of names and nothing else of the program."""
    named = [base.__dict__.get("buffers") for base in kind.__mro__]
    return {name for names in named if isinstance(names, (tuple, list, set, frozenset)) for name in names}


def _slots(it):
    """The attributes of an object with `__slots__`, those of base classes first, as they lie in the classes."""
    for base in reversed(type(it).__mro__):
        slots = base.__dict__.get("__slots__", ())
        slots = (slots,) if isinstance(slots, str) else slots
        for name in base.__dict__:
            if name in slots and hasattr(it, name):
                yield name, getattr(it, name)
