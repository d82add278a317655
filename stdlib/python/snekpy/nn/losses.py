"""Losses, under PyTorch's names: how far results are from what is wanted, as one float.

`reduction` says what becomes of the losses of the examples: their `"mean"`, their `"sum"`, or `"none"`: all of them.
"""

from snekpy import numpy as np

from .activations import log_softmax, softplus

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "gaussian_nll_loss", "hinge_embedding_loss",
    "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss", "nll_loss", "smooth_l1_loss",
]


def _reduced(losses, reduction):
    if reduction == "mean":
        return np.mean(losses)
    if reduction == "sum":
        return np.sum(losses)
    if reduction == "none":
        return losses
    raise ValueError(f"`reduction` is 'mean', 'sum' or 'none', not {reduction!r}")


def _alike(name, input, target):
    input, target = np.asarray(input), np.asarray(target)
    if input.shape != target.shape:
        raise ValueError(f"{name}: `input` has the shape {input.shape}, `target` {target.shape}")
    return input, target


def mse_loss(input, target, reduction="mean"):
    """`(input - target) ** 2`."""
    input, target = _alike("mse_loss", input, target)
    off = input - target
    return _reduced(off * off, reduction)


def l1_loss(input, target, reduction="mean"):
    """`abs(input - target)`."""
    input, target = _alike("l1_loss", input, target)
    return _reduced(np.abs(input - target), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0):
    """Half the square of what is off, and straight on beyond `delta` (Huber 1964)."""
    input, target = _alike("huber_loss", input, target)
    off = np.abs(input - target)
    # What is within delta counts as a square, what is beyond it linearly.
    near = np.minimum(off, delta)
    return _reduced(near * (off - 0.5 * near), reduction)


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """`abs(input - target)`, less `beta / 2`, with a parabola below `beta` (Girshick 2015): `huber_loss / beta`."""
    return huber_loss(input, target, reduction, beta) / beta


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0, axis=-1):
    """What the wanted classes cost: minus the logarithms of the shares that a softmax along `axis` gives them.

    `input` are the logits `(..., classes)`; PyTorch has the classes of images at `axis=1`. `target` are numbers of classes,
    ints `(...)`, or the shares of all, floats like `input`. `weight`, `(classes,)`, says how much a class counts; the mean
    is over these weights. Where `target` is `ignore_index` nothing counts. `label_smoothing` takes a share from the wanted
    class and deals it out to all (Szegedy et al. 2015).
    """
    logs = log_softmax(np.moveaxis(input, axis, -1))
    target = np.asarray(target)
    if target.dtype.kind == "f":
        target = np.moveaxis(target, axis, -1)
        if target.shape != logs.shape:
            raise ValueError(f"cross_entropy: `input` has the shape {logs.shape}, `target` of shares {target.shape}")
        wanted = target * (1 - label_smoothing) + label_smoothing / logs.shape[-1]
        losses = -np.sum(wanted * logs if weight is None else wanted * weight * logs, axis=-1)
        return _reduced(losses, reduction)
    losses, counts = _chosen("cross_entropy", logs, target, weight, ignore_index)
    if label_smoothing:
        spread = logs if weight is None else logs * weight
        spread = -np.mean(spread, axis=-1) * (target != ignore_index)
        losses = (1 - label_smoothing) * losses + label_smoothing * spread
    return _weighted(losses, counts, reduction)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean", axis=-1):
    """`cross_entropy` of what is a `log_softmax` already: minus the entries of `input` that `target` names."""
    logs = np.moveaxis(input, axis, -1)
    losses, counts = _chosen("nll_loss", logs, np.asarray(target), weight, ignore_index)
    return _weighted(losses, counts, reduction)


def _chosen(name, logs, target, weight, ignore_index):
    """The losses of the wanted classes, and how much each counts; None if all count alike."""
    if target.dtype.kind != "i":
        raise TypeError(f"{name}: `target` are ints, the numbers of classes, not {target.dtype.name}")
    if target.shape != logs.shape[:-1]:
        raise ValueError(f"{name}: `input` has the shape {logs.shape} with classes last, `target` {target.shape}")
    counts = (target != ignore_index).astype(logs.dtype)
    target = np.where(target == ignore_index, 0, target)
    if weight is not None:
        counts = counts * np.take(weight, target)
    return -np.take_along_axis(logs, np.expand_dims(target, -1), axis=-1)[..., 0] * counts, counts


def _weighted(losses, counts, reduction):
    return np.sum(losses) / np.sum(counts) if reduction == "mean" else _reduced(losses, reduction)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """The cross entropy of two classes, of which `input` is the share of the first: from 0 to 1. `target` is 1 or 0, or
    between. Logarithms are -100 at least, as in PyTorch."""
    input, target = _alike("binary_cross_entropy", input, target)
    yes, no = np.maximum(np.log(input), -100), np.maximum(np.log(1 - input), -100)
    losses = -(target * yes + (1 - target) * no)
    return _reduced(losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None):
    """`binary_cross_entropy` of `sigmoid(input)`, without overflowing. `pos_weight` is how much 1 counts against 0."""
    input, target = _alike("binary_cross_entropy_with_logits", input, target)
    yes = target if pos_weight is None else target * pos_weight
    losses = yes * softplus(-input) + (1 - target) * softplus(input)
    return _reduced(losses if weight is None else losses * weight, reduction)


def kl_div(input, target, reduction="mean", log_target=False):
    """The divergence `target * (log(target) - input)` of Kullback and Leibler: `input` are logarithms, as `log_softmax`
    gives them, and so is `target` with `log_target=True`. `reduction="batchmean"` is the sum over the first axis' length,
    which is what is meant in mathematics."""
    input, target = _alike("kl_div", input, target)
    if log_target:
        losses = np.exp(target) * (target - input)
    else:
        positive = target > 0
        losses = np.where(positive, target * (np.log(np.where(positive, target, 1)) - input), 0)
    return np.sum(losses) / input.shape[0] if reduction == "batchmean" else _reduced(losses, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """How unlikely `target` is in normal distributions about `input` with variances `var`, which are `eps` at least; with
    `full` the constant `log(2 * pi) / 2` is in it."""
    input, target = _alike("gaussian_nll_loss", input, target)
    var = np.maximum(eps, var)
    off = input - target
    losses = 0.5 * (np.log(var) + off * off / var) + (0.9189385332046727 if full else 0)
    return _reduced(losses, reduction)


def hinge_embedding_loss(input, target, margin=1.0, reduction="mean"):
    """Distances of what is alike (`target` 1), and how far those of what is not (-1) fall short of the margin."""
    input, target = _alike("hinge_embedding_loss", input, target)
    return _reduced(np.where(target == 1, input, np.maximum(0, margin - input)), reduction)


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """How far the one that is to be greater (`input1` where `target` is 1, else `input2`) falls short of the other, and of a
    margin above it."""
    input1, input2 = _alike("margin_ranking_loss", input1, input2)
    return _reduced(np.maximum(0, margin - target * (input1 - input2)), reduction)
