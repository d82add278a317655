"""Newton's method without second derivatives: what the last steps have shown of the curvature."""

from snekpy import numpy as np
from snekpy import tree, value_and_grad

from .optimizer import aligned, number, repeated, slots_of, whole

__all__ = ["LBFGS"]


class LBFGS:
    """Steps by the curvature that the last `history` steps and changes of the gradient show (Liu and Nocedal 1989).

    For few parameters and losses without noise: all the data at each step. All parameters are one vector here.

    `update(model, grads)` goes `rate` of the way, the first time not farther than a gradient that adds up to 1, as PyTorch's
    without a line search. `search(loss, model, *args)` computes the gradient itself and halves the step until the loss falls as
    a line would have it, times 1e-4 (Armijo); it returns the loss there.
    """

    def __init__(self, model, rate=1.0, history=10):
        self.rate = number("LBFGS", "rate", rate)
        if not isinstance(history, int) or history < 1:
            raise ValueError(f"LBFGS: `history` is an int, 1 at least, not {history!r}")
        self.slots = slots_of("LBFGS", model, lambda leaf: {})
        at = self._flat(tree.leaves(model))
        self.steps = np.zeros((), dtype="int64")
        self.at, self.slope = np.zeros_like(at), np.zeros_like(at)
        # The last steps, the oldest first, with what the gradient did in them, and one over the product of both: 0 where there
        # has been none, which leaves everything as it is.
        self.moves, self.turns = (np.zeros_like(at, shape=(history,) + at.shape) for _ in range(2))
        self.curves, self.scale = np.zeros_like(at, shape=(history,)), np.ones_like(at, shape=())

    @property
    def count(self):
        """How many steps there have been."""
        return int(self.steps)

    def update(self, model, grads):
        """One step of `rate`, in place."""
        leaves = tree.leaves(model)
        at, slope = self._flat(leaves), self._slope(model, grads)
        along = self._direction(at, slope)
        self._put(leaves, at + self._length(slope) * along)

    def search(self, loss, model, *args):
        """One step that makes `loss(model, *args)` less, or none if there is none of a length of `rate * 2**-20`."""
        before, grads = value_and_grad(loss)(model, *args)
        leaves = tree.leaves(model)
        at, slope = self._flat(leaves), self._slope(model, grads)
        along = self._direction(at, slope)
        length = self._length(slope)
        falls, value = np.sum(along * slope), before
        for _ in range(20):
            self._put(leaves, at + length * along)
            value = loss(model, *args)
            if value <= before + 1e-4 * length * falls:
                return value
            length = 0.5 * length
        self._put(leaves, at)
        return before

    def _length(self, slope):
        """How far to go: nothing is known of the curvature in the first step."""
        return self.rate * np.where(self.steps > 1, 1.0, np.minimum(1.0, 1.0 / np.sum(np.abs(slope))))

    def _direction(self, at, slope):
        """Minus the inverse of the second derivatives, as far as it is known, times the gradient."""
        self._look_back(at, slope)
        along, count = -slope, self.curves.shape[0]
        shares = [None] * count
        for n in range(count - 1, -1, -1):
            shares[n] = self.curves[n] * np.sum(self.moves[n] * along)
            along = along - shares[n] * self.turns[n]
        along = self.scale * along
        for n in range(count):
            along = along + (shares[n] - self.curves[n] * np.sum(self.turns[n] * along)) * self.moves[n]
        return along

    def _look_back(self, at, slope):
        """What the last step has shown. One along which the slope has fallen says nothing of a minimum."""
        move, turn = at - self.at, slope - self.slope
        curve = np.sum(move * turn)
        good = (curve > 1e-10) & (self.steps > 0)
        inverse = 1.0 / np.where(good, curve, 1.0)
        self.moves[...] = np.where(good, self._after(self.moves, move), self.moves)
        self.turns[...] = np.where(good, self._after(self.turns, turn), self.turns)
        self.curves[...] = np.where(good, self._after(self.curves, inverse), self.curves)
        self.scale[...] = np.where(good, curve / np.where(good, np.sum(turn * turn), 1.0), self.scale)
        self.at[...], self.slope[...] = at, slope
        self.steps[...] = self.steps + 1

    def _after(self, rows, row):
        """Without the first, with another one last."""
        return np.concatenate([rows[1:], np.expand_dims(row, 0)])

    def _flat(self, leaves):
        return np.concatenate([leaf.reshape(-1) for leaf, slot in zip(leaves, self.slots) if isinstance(slot, dict)])

    def _slope(self, model, grads):
        leaves, slopes = aligned(model, grads, self.slots)
        again = repeated(leaves, slopes, self.slots)
        parts = []
        for leaf, slope, slot in zip(leaves, slopes, self.slots):
            if isinstance(slot, dict):
                parts.append(np.zeros_like(leaf) if slope is None else whole(leaf, slope, again))
        return np.concatenate([part.reshape(-1) for part in parts])

    def _put(self, leaves, at):
        begin = 0
        for leaf, slot in zip(leaves, self.slots):
            if isinstance(slot, dict):
                leaf[...] = at[begin : begin + leaf.size].reshape(leaf.shape)
                begin += leaf.size
