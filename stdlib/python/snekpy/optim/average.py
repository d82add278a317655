"""Averages of parameters, which are often better than the last ones (Polyak and Juditsky 1992)."""

import copy

from snekpy import numpy as np
from snekpy import tree
from snekpy.nn.parameters import places

from .optimizer import number

__all__ = ["EMA"]


class EMA:
    """A model like the given one, `average`, whose parameters follow: `average = decay * average + (1 - decay) * model`.

    Buffers are copied as they are. With `warmup` the first steps forget faster: `decay` is at most `(1 + steps) / (10 +
    steps)`.
    """

    def __init__(self, model, decay=0.999, *, warmup=False):
        self.decay, self.steps = number("EMA", "decay", decay, below=1.0), np.zeros((), dtype="int64")
        # A text is known when code is made.
        self.speed = "warmup" if warmup else "steady"
        self.places = places(model)
        self.average = copy.deepcopy(model)

    def update(self, model):
        """One step towards the model."""
        decay = self.decay
        if self.speed == "warmup":
            count = int(self.steps)
            decay = min(decay, (1.0 + count) / (10.0 + count))
        self.steps[...] = self.steps + 1
        leaves, structure = tree.flatten(self.average)
        for mean, leaf, place in zip(leaves, tree.leaves_like(structure, model), self.places):
            if place == "parameter":
                mean[...] = decay * mean + (1.0 - decay) * leaf
            elif place == "buffer":
                mean[...] = leaf
