"""Steps that are as long for small gradients as for large ones: each number is divided by what it has been like."""

from snekpy import numpy as np

from .optimizer import Optimizer, number

__all__ = ["Adagrad", "Adam", "AdamW", "RMSprop"]


class Adam(Optimizer):
    """The mean of the gradient over the root of the mean of its square (Kingma and Ba 2015).

    `betas` say how long these means remember; they begin at 0, which is made up for by how many steps there have been. `eps`
    keeps from dividing by 0. `weight_decay` is added to the gradient; see `AdamW`.
    """

    def __init__(self, model, rate=1e-3, betas=(0.9, 0.999), eps=1e-8, *, weight_decay=0.0, decays=None):
        name = type(self).__name__
        self.beta1, self.beta2 = (number(name, "betas", it, below=1.0) for it in betas)
        self.eps = number(name, "eps", eps)
        super().__init__(model, rate, weight_decay=weight_decay, decays=decays)

    def begin(self, parameter):
        return {"mean": np.zeros_like(parameter), "square": np.zeros_like(parameter)}

    def direction(self, gradient, slot):
        slot["mean"] = mean = self.beta1 * slot["mean"] + (1.0 - self.beta1) * gradient
        slot["square"] = square = self.beta2 * slot["square"] + (1.0 - self.beta2) * (gradient * gradient)
        # What the means would be if they had not begun at 0.
        count = self.count
        mean = mean * (1.0 / (1.0 - self.beta1**count))
        return mean / (np.sqrt(square * (1.0 / (1.0 - self.beta2**count))) + self.eps)


class AdamW(Adam):
    """`Adam` whose weights shrink by themselves and not by way of the gradient (Loshchilov and Hutter 2019)."""

    decay = "apart"

    def __init__(self, model, rate=1e-3, betas=(0.9, 0.999), eps=1e-8, *, weight_decay=1e-2, decays=None):
        super().__init__(model, rate, betas, eps, weight_decay=weight_decay, decays=decays)


class RMSprop(Optimizer):
    """The gradient over the root of the mean of its square (Hinton 2012), as PyTorch's: `eps` is added to the root.

    With `momentum` along a velocity of that; with `centered` over the deviation: the square of the mean is taken off.
    """

    def __init__(self, model, rate=1e-2, alpha=0.99, eps=1e-8, *, momentum=0.0, centered=False, weight_decay=0.0, decays=None):
        self.alpha, self.eps = number("RMSprop", "alpha", alpha, below=1.0), number("RMSprop", "eps", eps)
        self.momentum = number("RMSprop", "momentum", momentum, below=1.0) if momentum else None
        self.about = "mean" if centered else "zero"
        super().__init__(model, rate, weight_decay=weight_decay, decays=decays)

    def begin(self, parameter):
        kept = ["square"] + ["velocity"] * (self.momentum is not None) + ["mean"] * (self.about == "mean")
        return {name: np.zeros_like(parameter) for name in kept}

    def direction(self, gradient, slot):
        slot["square"] = square = self.alpha * slot["square"] + (1.0 - self.alpha) * (gradient * gradient)
        if self.about == "mean":
            slot["mean"] = mean = self.alpha * slot["mean"] + (1.0 - self.alpha) * gradient
            square = square - mean * mean
        along = gradient / (np.sqrt(square) + self.eps)
        if self.momentum is not None:
            slot["velocity"] = along = self.momentum * slot["velocity"] + along
        return along


class Adagrad(Optimizer):
    """The gradient over the root of the sum of all its squares (Duchi et al. 2011): each number's rate falls with use.

    `rate_decay` lets all fall with the number of steps: `rate / (1 + steps * rate_decay)`. The sums begin at `initial`.
    """

    def __init__(self, model, rate=1e-2, *, rate_decay=0.0, initial=0.0, eps=1e-10, weight_decay=0.0, decays=None):
        self.rate_decay, self.initial = number("Adagrad", "rate_decay", rate_decay), number("Adagrad", "initial", initial)
        self.eps = number("Adagrad", "eps", eps)
        super().__init__(model, rate, weight_decay=weight_decay, decays=decays)

    def begin(self, parameter):
        return {"sum": np.full_like(parameter, self.initial)}

    def direction(self, gradient, slot):
        slot["sum"] = total = slot["sum"] + gradient * gradient
        return gradient / (np.sqrt(total) + self.eps) * (1.0 / (1.0 + (self.count - 1) * self.rate_decay))
