"""Structures of tuples, named tuples, lists, dicts and objects of the program: what models and their gradients are.

What is none of these is a leaf: numbers, arrays, texts, functions. None is passed over: it is no leaf.
"""

from snekpy import _tree_leaves, _tree_leaves_like, _tree_of

__all__ = ["all", "flatten", "leaves", "leaves_like", "map", "reduce", "structure", "unflatten"]

_none = object()
_all = all


def leaves(tree):
    """The leaves of a tree, in order."""
    return _tree_leaves(tree)[0]


def structure(tree):
    """What a tree is but for its leaves."""
    return _tree_leaves(tree)[1]


def flatten(tree):
    """The leaves of a tree, in order, and its structure: `unflatten(structure, leaves)` makes it again."""
    return _tree_leaves(tree)


def leaves_like(structure, tree):
    """What a tree has where a structure has leaves: None, also, and whole trees."""
    return _tree_leaves_like(structure, tree)


def unflatten(structure, leaves):
    """A tree of this structure with these leaves."""
    return _tree_of(structure, [leaf for leaf in leaves])


def map(function, tree, *rest):
    """A tree of the same structure with what the function gives for each leaf, and what the others have in its place.

    Where one of the others has None, a leaf stays what it is: `map(lambda p, g: p - rate * g, model, gradient)` is a model
    with the texts, ints and functions of the first.
    """
    items, shape = _tree_leaves(tree)
    if not rest:
        return _tree_of(shape, [function(item) for item in items])
    others = [_tree_leaves_like(shape, other) for other in rest]
    return _tree_of(shape, [_applied(function, them) for them in zip(items, *others)])


def _applied(function, them):
    for it in them:
        if it is None:
            return them[0]
    return function(*them)


def reduce(function, tree, initial=_none):
    """What is left of the leaves of a tree when the function has joined each with what is left of those before."""
    items = _tree_leaves(tree)[0]
    if initial is _none:
        if not items:
            raise TypeError("reduce() of a tree without leaves with no initial value")
        initial, items = items[0], items[1:]
    for item in items:
        initial = function(initial, item)
    return initial


def all(tree):
    """Whether all leaves are true."""
    return _all(_tree_leaves(tree)[0])
