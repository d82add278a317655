"""Neural networks: layers, activations, initialisers, losses, and files of weights.

A layer is a plain object whose attributes are its parameters. There is nothing to register and no base class that has to
be there: what `snekpy.tree` takes apart, gradients, optimisers and files know. Of its leaves,

- an array of floats is a *parameter*: it is differentiated by, and optimisers change it in place;
- an array of floats that the class names in `buffers` is a *buffer*: state that is kept in files, and is not trained;
- everything else, numbers among it, is a *setting*.

Functions have PyTorch's or `jax.nn`'s names. Parameters have PyTorch's names, too, and the shapes in which they are
multiplied: `x @ weight`, not `x @ weight.T`.
"""

from . import initializers
from .activations import *
from .attention import *
from .convolution import *
from .files import *
from .gradients import *
from .layers import *
from .losses import *
from .norms import *
from .parameters import *
from .pooling import *
from .recurrent import *
