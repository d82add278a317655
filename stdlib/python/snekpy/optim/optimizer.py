"""What optimisers have in common: which arrays they change, and what they keep for each."""

from snekpy import numpy as np
from snekpy import tree
from snekpy.nn.parameters import places

__all__ = ["Optimizer"]


class Optimizer:
    """The base of optimisers. One of your own says what it keeps for a parameter, `begin`, and how that changes, `step`.

    `rate` is how far a step goes: a number, or a *schedule*, a function of how many steps there have been. `weight_decay`
    shrinks parameters: this much of each is added to its gradient.

    An optimiser is an object of numbers and arrays, as a model is: staged functions take it, and change it. `slots` has what
    `begin` has made for each leaf of the model; `"again"` for an array that is in another place already, None for what is not
    trained.
    """

    def __init__(self, model, rate, *, weight_decay=0.0):
        name = type(self).__name__
        self.schedule = rate if callable(rate) else None
        self.rate = 0.0 if callable(rate) else number(name, "rate", rate)
        self.weight_decay = number(name, "weight_decay", weight_decay)
        self.count = 0
        found = zip(tree.leaves(model), places(model))
        self.slots = [self.begin(leaf) if what == "parameter" else what for leaf, what in found]
        if all(slot is None for slot in self.slots):
            raise ValueError(f"{name}: there is no array of floats in `model`, which is what would be trained")

    def begin(self, parameter):
        """What is kept for a parameter: a dict of arrays."""
        return {}

    def step(self, parameter, gradient, slot, rate):
        """What the parameter is to be, for its gradient. What is kept, `slot`, goes on."""
        raise NotImplementedError

    def update(self, model, grads):
        """One step: changes the arrays of the model in place. `grads` has the structure of the model, as `grad` gives it;
        where it has None, nothing happens. A ValueError if the model is of another structure than the one at the beginning.
        """
        rate = self.next_rate()
        leaves, structure = tree.flatten(model)
        slopes = tree.leaves_like(structure, grads)
        if len(leaves) != len(self.slots):
            raise ValueError(f"the model has {len(leaves)} leaves, and had {len(self.slots)} when the optimiser was made")
        again = [it for it in zip(leaves, slopes, self.slots) if isinstance(it[2], str) and it[1] is not None]
        for parameter, gradient, slot in zip(leaves, slopes, self.slots):
            if gradient is not None and isinstance(slot, dict):
                for other, more, _ in again:
                    if other is parameter:
                        gradient = gradient + more
                if parameter.shape != gradient.shape:
                    raise ValueError(f"`grads` has the shape {gradient.shape} where the model has {parameter.shape}")
                parameter[...] = self.step(parameter, gradient, slot, rate)

    def next_rate(self):
        """Counts the step, and gives its rate."""
        if self.schedule is not None:
            self.rate = self.schedule(self.count)
        self.count += 1
        return self.rate

    def decayed(self, parameter, gradient):
        """The gradient with the share of the parameter that makes it shrink."""
        return gradient + self.weight_decay * parameter


def number(where, name, given, least=0.0, below=None):
    """A setting as a float."""
    if not isinstance(given, (int, float)) or isinstance(given, bool):
        raise TypeError(f"{where}: `{name}` is a number, not {type(given).__name__}")
    if given < least or below is not None and given >= below:
        most = "" if below is None else f" and less than {below}"
        raise ValueError(f"{where}: `{name}` is {least} at least{most}, not {given}")
    return float(given)
