"""Activations: functions of elements, and those that a softmax is made of.

They take arrays of floats of any shape, give others of the same shape and dtype, and have gradients. Names and formulas are
those of `jax.nn`; where PyTorch has another name for one, it is here, too.
"""

import math

from snekpy import numpy as np

__all__ = [
    "celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "hardsigmoid", "hardswish",
    "hardtanh", "identity", "leaky_relu", "log_sigmoid", "log_softmax", "logsigmoid", "logsumexp", "mish", "one_hot", "prelu",
    "relu", "relu6", "selu", "sigmoid", "silu", "soft_sign", "softmax", "softmin", "softplus", "softsign", "squareplus",
    "standardize", "swish", "tanh", "tanhshrink",
]

tanh = np.tanh


def identity(x):
    """`x`."""
    return x


def relu(x):
    """`x` where it is positive, else 0. The slope at 0 is 0."""
    return np.maximum(0, x)


def relu6(x):
    """`relu`, at most 6."""
    return np.minimum(np.maximum(0, x), 6)


def leaky_relu(x, negative_slope=0.01):
    """`x`, the negative times a small slope."""
    return np.where(x > 0, x, negative_slope * x)


def prelu(x, weight):
    """`leaky_relu` whose slope is learned: a number, or one for each of the last axis (He et al. 2015)."""
    return np.where(x > 0, x, weight * x)


def elu(x, alpha=1.0):
    """`x`, the negative as `alpha * (exp(x) - 1)` (Clevert et al. 2015)."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def celu(x, alpha=1.0):
    """`elu` whose slope has no step at 0: `alpha * (exp(x / alpha) - 1)` (Barron 2017)."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


def selu(x):
    """`elu` with the two constants that keep mean 0 and variance 1 from layer to layer (Klambauer et al. 2017)."""
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


def sigmoid(x):
    """`1 / (1 + exp(-x))`, from 0 to 1."""
    return 1 / (1 + np.exp(-x))


def log_sigmoid(x):
    """The logarithm of the sigmoid, also where that is too small to be a number."""
    return -softplus(-x)


def softplus(x):
    """`log(1 + exp(x))`, a smooth `relu`."""
    return np.logaddexp(x, 0)


def squareplus(x, b=4.0):
    """`(x + sqrt(x * x + b)) / 2`, a smooth `relu` of algebra only (Barron 2021)."""
    return (x + np.sqrt(x * x + b)) / 2


def silu(x):
    """`x * sigmoid(x)` (Hendrycks and Gimpel 2016; Ramachandran et al. 2017 call it swish)."""
    return x * sigmoid(x)


def mish(x):
    """`x * tanh(softplus(x))` (Misra 2019)."""
    return x * np.tanh(softplus(x))


def gelu(x, approximate=True):
    """`x` times the share of a normal distribution that lies below it (Hendrycks and Gimpel 2016).

    By a tanh, as in `jax.nn` and GPT-2, to within 1e-3; with `approximate=False` by the error function, as is PyTorch's
    default.
    """
    if approximate:
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))
    return 0.5 * x * (1 + _erf(x / math.sqrt(2)))


# W. J. Cody, Rational Chebyshev approximations for the error function (1969): below 0.46875, and erfc above.
_NEAR = (
    (0.185777706184603153, 3.16112374387056560, 113.864154151050156, 377.485237685302021, 3209.37758913846947),
    (1.0, 23.6012909523441209, 244.024637934444173, 1282.61652607737228, 2844.23683343917062),
)
_FAR = (
    (2.15311535474403846e-8, 0.564188496988670089, 8.88314979438837594, 66.1191906371416295, 298.635138197400131,
     881.952221241769090, 1712.04761263407058, 2051.07837782607147, 1230.33935479799725),
    (1.0, 15.7449261107098347, 117.693950891312499, 537.181101862009858, 1621.38957456669019,
     3290.79923573345963, 4362.61909014324716, 3439.36767414372164, 1230.33935480374942),
)


def _quotient(polynomials, x):
    above, below = 0, 0
    for a, b in zip(*polynomials):
        above, below = above * x + a, below * x + b
    return above / below


def _erf(x):
    """The error function, to within 1e-15."""
    # Beyond 6 it is 1; the other branch of `where` must not overflow, as its gradient is computed, too.
    far = np.clip(np.abs(x), 0.46875, 6)
    beyond = np.sign(x) * (1 - np.exp(-far * far) * _quotient(_FAR, far))
    near = np.clip(x, -0.46875, 0.46875)
    return np.where(np.abs(x) <= 0.46875, near * _quotient(_NEAR, near * near), beyond)


def glu(x, axis=-1):
    """The first half along an axis, each number times the sigmoid of its fellow in the second (Dauphin et al. 2017)."""
    half = x.shape[axis] // 2
    if half * 2 != x.shape[axis]:
        raise ValueError(f"glu: axis {axis} of `x` has no halves: its length is {x.shape[axis]}")
    first, second = np.split(x, 2, axis)
    return first * sigmoid(second)


def hard_sigmoid(x):
    """A sigmoid of straight lines: `relu6(x + 3) / 6`."""
    return relu6(x + 3) / 6


def hard_silu(x):
    """`x * hard_sigmoid(x)` (Howard et al. 2019)."""
    return x * hard_sigmoid(x)


def hard_tanh(x, min_val=-1.0, max_val=1.0):
    """`x` between two limits."""
    return np.clip(x, min_val, max_val)


def soft_sign(x):
    """`x / (1 + abs(x))`."""
    return x / (1 + np.abs(x))


def tanhshrink(x):
    """`x - tanh(x)`."""
    return x - np.tanh(x)


def softmax(x, axis=-1):
    """Shares that are positive and add up to 1 along an axis, in proportion to `exp(x)`."""
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def softmin(x, axis=-1):
    """The softmax of `-x`."""
    return softmax(-x, axis)


def log_softmax(x, axis=-1):
    """The logarithm of the softmax, also where that is too small to be a number."""
    x = x - np.max(x, axis=axis, keepdims=True)
    return x - np.log(np.sum(np.exp(x), axis=axis, keepdims=True))


def logsumexp(x, axis=-1, keepdims=False):
    """`log(sum(exp(x)))` along an axis, without overflowing."""
    most = np.max(x, axis=axis, keepdims=True)
    # Of what is all -inf the greatest is -inf, too, and -inf - -inf is no number.
    most = np.where(np.isfinite(most), most, 0)
    found = np.log(np.sum(np.exp(x - most), axis=axis, keepdims=True)) + most
    return found if keepdims else np.squeeze(found, axis=axis)


def standardize(x, axis=-1, epsilon=1e-5):
    """With mean 0 and variance 1 along an axis; `epsilon` is added to the variance."""
    x = x - np.mean(x, axis=axis, keepdims=True)
    return x / np.sqrt(np.mean(x * x, axis=axis, keepdims=True) + epsilon)


def one_hot(x, num_classes, dtype="float32"):
    """For each int a row of `num_classes` zeros with a 1 at that place; of an int that is no place, zeros alone."""
    return (np.expand_dims(x, -1) == np.arange(num_classes, device=x.device)).astype(dtype)


# PyTorch's names.
logsigmoid = log_sigmoid
swish = silu
hardsigmoid = hard_sigmoid
hardswish = hard_swish = hard_silu
hardtanh = hard_tanh
softsign = soft_sign
