"""Steps along the gradient, or along what has come together of it."""

from snekpy import numpy as np

from .optimizer import Optimizer, number

__all__ = ["Lion", "SGD"]


class SGD(Optimizer):
    """Stochastic gradient descent: `p -= rate * g`.

    With `momentum` along a velocity, `v = momentum * v + g` (Polyak 1964); with `nesterov` along where that is going, `g +
    momentum * v` (Nesterov 1983). `dampening` lessens what each gradient adds to the velocity, but for the first.
    """

    def __init__(self, model, rate, momentum=0.0, *, dampening=0.0, nesterov=False, weight_decay=0.0, decays=None):
        self.momentum = number("SGD", "momentum", momentum, below=1.0) if momentum else None
        self.dampening = number("SGD", "dampening", dampening) if dampening else None
        if nesterov and (not momentum or dampening):
            raise ValueError("SGD: `nesterov` needs `momentum`, and no `dampening`")
        # A text is known when code is made.
        self.along = "ahead" if nesterov else "velocity"
        super().__init__(model, rate, weight_decay=weight_decay, decays=decays)

    def begin(self, parameter):
        return {} if self.momentum is None else {"velocity": np.zeros_like(parameter)}

    def direction(self, gradient, slot):
        if self.momentum is None:
            return gradient
        added = gradient
        if self.dampening is not None:
            added = gradient * (1.0 if self.count == 1 else 1.0 - self.dampening)
        slot["velocity"] = velocity = self.momentum * slot["velocity"] + added
        return gradient + self.momentum * velocity if self.along == "ahead" else velocity


class Lion(Optimizer):
    """Steps of one length: along the sign of what the gradient and its mean make together (Chen et al. 2023). Weights shrink
    by themselves, as in `AdamW`. Its rate is a third to a tenth of Adam's."""

    decay = "apart"

    def __init__(self, model, rate=1e-4, betas=(0.9, 0.99), *, weight_decay=0.0, decays=None):
        self.beta1, self.beta2 = (number("Lion", "betas", it, below=1.0) for it in betas)
        super().__init__(model, rate, weight_decay=weight_decay, decays=decays)

    def begin(self, parameter):
        return {"mean": np.zeros_like(parameter)}

    def direction(self, gradient, slot):
        mean = slot["mean"]
        slot["mean"] = self.beta2 * mean + (1.0 - self.beta2) * gradient
        return np.sign(self.beta1 * mean + (1.0 - self.beta1) * gradient)
