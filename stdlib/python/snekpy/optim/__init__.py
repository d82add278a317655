"""Optimisers: how the parameters of a model follow its gradients; schedules of rates, and limits of gradients.

    opt = optim.Adam(model, 1e-3)
    ...
    loss, grads = value_and_grad(loss_of)(model, x, y)
    opt.update(model, grads)

A model is anything that `snekpy.tree` takes apart. Its parameters are the arrays of floats in it (see `snekpy.nn`); numbers
are settings, and are left alone. An array in two places is one parameter, whose gradient is the sum of both.
"""

from .adaptive import *
from .average import *
from .clipping import *
from .descent import *
from .lbfgs import *
from .optimizer import *
from .schedules import *
