"""What optimisers have in common: which arrays they change, and what they keep for each."""

from snekpy import numpy as np
from snekpy import tree
from snekpy.nn.parameters import places, walk

__all__ = ["Optimizer"]


class Optimizer:
    """The base of optimisers. One of your own says what it keeps for a parameter, `begin`, and which way that goes for a
    gradient, `direction`; the parameter goes `rate` times that way, downwards.

    `rate` is a number, or a *schedule*, a function of how many steps there have been. With `weight_decay` parameters shrink:
    this much of each is added to its gradient, or, where a class says `decay = "apart"`, `rate` times this much is taken off it.
    `decays(name, parameter)` says which parameters shrink; if it is None, all.

    An optimiser is an object of numbers and arrays, as a model is: staged functions take it, and change it. `slots` has what
    `begin` has made for each leaf of the model; `"again"` for an array that is in another place already, None for what is not
    trained.
    """

    decay = "by gradient"

    def __init__(self, model, rate, *, weight_decay=0.0, decays=None):
        name = type(self).__name__
        self.schedule = rate if callable(rate) else None
        self.rate = 0.0 if callable(rate) else number(name, "rate", rate)
        self.weight_decay = number(name, "weight_decay", weight_decay) if weight_decay else None
        # An array, as it is state and no setting: files have it.
        self.steps = np.zeros((), dtype="int64")
        self.slots = slots_of(name, model, self.begin)
        self.stays = [None] * len(self.slots)
        if decays is not None:
            found = zip(self.slots, walk(model, seen=set()))
            # Texts are known when code is made.
            self.stays = ["stays" if isinstance(slot, dict) and not decays(*it[:2]) else None for slot, it in found]

    @property
    def count(self):
        """How many steps there have been."""
        return int(self.steps)

    def begin(self, parameter):
        """What is kept for a parameter: a dict of arrays."""
        return {}

    def direction(self, gradient, slot):
        """Which way a parameter goes, and how far at a rate of 1. What is kept for it, `slot`, goes on."""
        raise NotImplementedError

    def update(self, model, grads):
        """One step: changes the arrays of the model in place. `grads` has the structure of the model, as `grad` gives it;
        where it has None, nothing happens. A ValueError if the model is of another structure than the one at the beginning.
        """
        rate = self.next_rate()
        leaves, slopes = aligned(model, grads, self.slots)
        again = repeated(leaves, slopes, self.slots)
        for parameter, gradient, slot, stays in zip(leaves, slopes, self.slots, self.stays):
            if gradient is not None and isinstance(slot, dict):
                gradient = whole(parameter, gradient, again)
                begin = parameter
                if self.weight_decay is not None and stays is None:
                    if self.decay == "apart":
                        begin = parameter * (1.0 - rate * self.weight_decay)
                    else:
                        gradient = gradient + self.weight_decay * parameter
                parameter[...] = begin - rate * self.direction(gradient, slot)

    def next_rate(self):
        """Counts the step, and gives its rate."""
        if self.schedule is not None:
            self.rate = self.schedule(self.count)
        self.steps[...] = self.steps + 1
        return self.rate


def slots_of(where, model, begin):
    """For each leaf what `begin` makes of it, if it is a parameter; `"again"` if it is one that has been before; else None."""
    slots = []
    for leaf, place in zip(tree.leaves(model), places(model)):
        slots.append(begin(leaf) if place == "parameter" else "again" if place == "again" else None)
    if not any(isinstance(slot, dict) for slot in slots):
        raise ValueError(f"{where}: there is no array of floats in `model`, which is what would be trained")
    return slots


def aligned(model, grads, slots):
    """The leaves of the model, and what `grads` has for each."""
    leaves, structure = tree.flatten(model)
    if len(leaves) != len(slots):
        raise ValueError(f"the model has {len(leaves)} leaves, and had {len(slots)} when the optimiser was made")
    return leaves, tree.leaves_like(structure, grads)


def repeated(leaves, slopes, slots):
    """Parameters that are in another place already, each with the part of its gradient that belongs to this place."""
    return [it for it in zip(leaves, slopes, slots) if isinstance(it[2], str) and it[1] is not None]


def whole(parameter, gradient, again):
    """The gradient from all places where a parameter is."""
    for other, more, _ in again:
        if other is parameter:
            gradient = gradient + more
    if parameter.shape != gradient.shape:
        raise ValueError(f"`grads` has the shape {gradient.shape} where the model has {parameter.shape}")
    return gradient


def number(where, name, given, least=0.0, below=None):
    """A setting as a float."""
    if not isinstance(given, (int, float)) or isinstance(given, bool):
        raise TypeError(f"{where}: `{name}` is a number, not {type(given).__name__}")
    if given < least or below is not None and given >= below:
        most = "" if below is None else f" and less than {below}"
        raise ValueError(f"{where}: `{name}` is {least} at least{most}, not {given}")
    return float(given)
