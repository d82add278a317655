"""Recurrent nets: a state that goes on with each step of a series.

A *cell* is one step: `state = cell(x, state)`. A layer takes its cell through a whole series, `(steps, batch, inputs)`, the
steps first, as in PyTorch; so are the gates' order and the two biases. Parameters begin evenly within `1 / sqrt(hidden)`.
"""

from snekpy import numpy as np
from snekpy import random

from .activations import relu, sigmoid
from .layers import drawn, sizes

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNCell"]


class _Cell:
    """`weight_ih` is `(inputs, gates * hidden)`, `weight_hh` `(hidden, gates * hidden)`, the biases `(gates * hidden,)`."""

    gates = 1

    def __init__(self, inputs, hidden, *, key=None, init=None, dtype="float32"):
        sizes(type(self).__name__, inputs=inputs, hidden=hidden)
        wide = self.gates * hidden
        keys = (None,) * 4 if key is None else random.split(key, 4)
        self.weight_ih = drawn(keys[0], (inputs, wide), hidden, init, dtype)
        self.weight_hh = drawn(keys[1], (hidden, wide), hidden, init, dtype)
        self.bias_ih = drawn(keys[2], (wide,), hidden, None, dtype)
        self.bias_hh = drawn(keys[3], (wide,), hidden, None, dtype)

    def __call__(self, x, state=None):
        inputs = self.weight_ih.shape[0]
        if x.ndim != 2 or x.shape[1] != inputs:
            raise ValueError(f"{type(self).__name__}: `x` is (batch, {inputs}), not of the shape {x.shape}")
        if state is None:
            state = self.start(x.shape[0])
        return self.step(self.of_inputs(x), state)

    def start(self, batch):
        """The state before the first step: zeros."""
        weight = self.weight_hh
        return np.zeros((batch, weight.shape[0]), dtype=weight.dtype, device=weight.device)

    def of_inputs(self, x):
        """What does not depend on the state: of all steps at once."""
        return x @ self.weight_ih + self.bias_ih

    def of_state(self, h):
        return h @ self.weight_hh + self.bias_hh

    def parts(self, gates):
        """As many arrays as there are gates."""
        hidden = self.weight_hh.shape[0]
        return [gates[:, n * hidden : (n + 1) * hidden] for n in range(self.gates)]


class RNNCell(_Cell):
    """`h = tanh(x @ weight_ih + bias_ih + h @ weight_hh + bias_hh)` (Elman 1990); with `nonlinearity="relu"` that."""

    def __init__(self, inputs, hidden, nonlinearity="tanh", *, key=None, init=None, dtype="float32"):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNNCell: `nonlinearity` is 'tanh' or 'relu', not {nonlinearity!r}")
        self.act = relu if nonlinearity == "relu" else np.tanh
        super().__init__(inputs, hidden, key=key, init=init, dtype=dtype)

    def step(self, rows, h):
        return self.act(rows + self.of_state(h))


class LSTMCell(_Cell):
    """A state of two: `h`, and `c`, which is kept and forgotten by gates (Hochreiter and Schmidhuber 1997; Gers et al. 2000).

    The gates are, in order, what is let in, what is kept, what comes in, what is let out.
    """

    gates = 4

    def start(self, batch):
        zeros = super().start(batch)
        return zeros, zeros

    def step(self, rows, state):
        h, c = state
        let_in, keep, new, let_out = self.parts(rows + self.of_state(h))
        c = sigmoid(keep) * c + sigmoid(let_in) * np.tanh(new)
        return sigmoid(let_out) * np.tanh(c), c


class GRUCell(_Cell):
    """A state that is between what it was and something new (Cho et al. 2014), as PyTorch's: what is reset is the share of the
    state after its product. The gates are, in order, how much is reset, how much is kept, what is new."""

    gates = 3

    def step(self, rows, h):
        reset, keep, new = self.parts(rows)
        h_reset, h_keep, h_new = self.parts(self.of_state(h))
        keep = sigmoid(keep + h_keep)
        new = np.tanh(new + sigmoid(reset + h_reset) * h_new)
        return (1 - keep) * new + keep * h


class _Recurrent:
    """A cell taken through a series."""

    def __call__(self, x, state=None, *, lengths=None):
        cell, (inputs, hidden) = self.cell, (self.cell.weight_ih.shape[0], self.cell.weight_hh.shape[0])
        if x.ndim != 3 or x.shape[2] != inputs:
            raise ValueError(f"{type(self).__name__}: `x` is (steps, batch, {inputs}), not of the shape {x.shape}")
        steps, batch = x.shape[0], x.shape[1]
        if state is None:
            state = cell.start(batch)
        rows = cell.of_inputs(x)
        outputs = np.zeros((steps, batch, hidden), dtype=rows.dtype, device=rows.device)
        for t in range(steps):
            after = cell.step(rows[t], state)
            if lengths is not None:
                after = _where(np.expand_dims(t < lengths, 1), after, state)
            state = after
            h = state[0] if isinstance(state, tuple) else state
            outputs[t] = h if lengths is None else np.where(np.expand_dims(t < lengths, 1), h, 0)
        return outputs, state


def _where(goes_on, after, before):
    if isinstance(after, tuple):
        return np.where(goes_on, after[0], before[0]), np.where(goes_on, after[1], before[1])
    return np.where(goes_on, after, before)


class RNN(_Recurrent):
    """`RNNCell` over a series: `(steps, batch, inputs)` to `(steps, batch, hidden)` and the last state, `(batch, hidden)`.

    The first state is `state`, or zeros. Where series are of different lengths, `lengths`, ints `(batch,)`, says how many steps
    each has: behind its end its state stays as it is, and outputs are 0.
    """

    def __init__(self, inputs, hidden, nonlinearity="tanh", *, key=None, init=None, dtype="float32"):
        self.cell = RNNCell(inputs, hidden, nonlinearity, key=key, init=init, dtype=dtype)


class LSTM(_Recurrent):
    """`LSTMCell` over a series, as `RNN`; the state is `(h, c)`."""

    def __init__(self, inputs, hidden, *, key=None, init=None, dtype="float32"):
        self.cell = LSTMCell(inputs, hidden, key=key, init=init, dtype=dtype)


class GRU(_Recurrent):
    """`GRUCell` over a series, as `RNN`."""

    def __init__(self, inputs, hidden, *, key=None, init=None, dtype="float32"):
        self.cell = GRUCell(inputs, hidden, key=key, init=init, dtype=dtype)
