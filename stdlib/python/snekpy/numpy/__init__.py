"""Arrays after the Python array API standard 2025.12, with NumPy's names as aliases.

What is fast is native (`_snekpy_numpy`); everything here is written over it and can be read.
"""

import _snekpy_numpy as _native
from _snekpy_numpy import dtype, matmul, ndarray, shares_memory, ufunc

_names = _native._names()
globals().update(_names)
abs = absolute = _names["abs"]
bool = bool_ = _names["bool"]
pow = power = _names["pow"]
round_ = rint = _names["round"]

from .creation import *
from .elementwise import *
from .manipulation import *
from .statistics import *
from .searching import *
from .sets import *
from .products import *
from .types import *
from .windows import *
from .polynomials import *
from .files import *
from .modes import *
from . import exceptions, linalg
from ._methods import install as _install
from ._ufunc import install as _install_ufunc

round = around

_install()
_install_ufunc()

pi = 3.141592653589793
e = 2.718281828459045
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None
True_ = True
False_ = False

__version__ = "2.5.0"
__array_api_version__ = "2025.12"

may_share_memory = shares_memory
float_ = double = _names["float64"]
single = _names["float32"]
half = _names["float16"]
int_ = intp = longlong = _names["int64"]
intc = _names["int32"]


def __getattr__(name):
    if name == "random":
        import importlib

        return importlib.import_module("snekpy.numpy.random")
    import builtins

    unsupported = (
        "int8 int16 uint8 uint16 uint32 uint64 complex64 complex128 longdouble object_ str_ bytes_ datetime64 "
        "timedelta64 float128 complex256"
    )
    if name in unsupported.split():
        raise AttributeError(
            f"snekpy.numpy has no dtype '{name}': there are bool, int32, int64, float16, bfloat16, float32 and float64"
        )
    raise AttributeError(f"snekpy.numpy has no '{name}': it is not implemented")
