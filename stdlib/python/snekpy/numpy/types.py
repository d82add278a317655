"""Dtypes: what is known of them, and which come of which."""

import _snekpy_numpy as _native
from _snekpy_numpy import dtype, ndarray

_dtypes = _native._names()
_BOOL, _I32, _I64 = _dtypes["bool"], _dtypes["int32"], _dtypes["int64"]
_F16, _BF16, _F32, _F64 = _dtypes["float16"], _dtypes["bfloat16"], _dtypes["float32"], _dtypes["float64"]

__all__ = [
    "astype", "can_cast", "finfo", "iinfo", "isdtype", "issubdtype", "promote_types", "result_type", "floating",
    "integer", "number", "generic", "inexact", "signedinteger", "bool_kind", "isscalar", "iscomplexobj", "isrealobj",
    "__array_namespace_info__", "common_type", "min_scalar_type",
]


class generic:
    """Any element, in `issubdtype` and `isinstance`-like checks."""

    kinds = "bif"


class number(generic):
    """Any number."""

    kinds = "if"


class integer(number):
    """Any integer."""

    kinds = "i"


signedinteger = integer


class inexact(number):
    """Any float."""

    kinds = "f"


class floating(inexact):
    """Any float."""


bool_kind = "bool"


def _coerced(it):
    return it.dtype if isinstance(it, ndarray) else dtype(it)


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements of an array as another dtype."""
    made = x.astype(dtype, copy=copy)
    return made if device is None else made.to_device(device)


def result_type(*arrays_and_dtypes):
    """The dtype that an operation on all of these has."""
    if not arrays_and_dtypes:
        raise ValueError("at least one array or dtype is required")
    return _native._result_type(arrays_and_dtypes)


def promote_types(type1, type2):
    """The least dtype that both convert to."""
    return _native._result_type((dtype(type1), dtype(type2)))


def common_type(*arrays):
    """The float dtype that all arrays convert to."""
    return result_type(_F16, *(_F64 if a.dtype.kind != "f" else a.dtype for a in arrays))


def min_scalar_type(x):
    """The dtype of an array; of a number, its own."""
    return _native._array(x, None, None).dtype


def can_cast(from_, to, /, casting="safe"):
    """Whether one dtype converts to another without loss."""
    from_, to = _coerced(from_), dtype(to)
    if casting in ("unsafe",):
        return True
    if casting == "same_kind":
        return "bif".index(from_.kind) <= "bif".index(to.kind)
    if casting in ("no", "equiv"):
        return from_ == to
    return promote_types(from_, to) == to


def isdtype(dtype_, kind, /):
    """Whether a dtype is of a kind: 'bool', 'signed integer', 'integral', 'real floating', 'numeric', a dtype."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype_, it) for it in kind)
    own = dtype(dtype_).kind
    if isinstance(kind, str):
        kinds = {
            "bool": "b", "signed integer": "i", "unsigned integer": "", "integral": "i", "real floating": "f",
            "complex floating": "", "numeric": "if",
        }
        if kind not in kinds:
            raise ValueError(f"kind argument is a string, but {kind!r} is not a known kind name.")
        return own in kinds[kind] and own != ""
    return dtype(dtype_) == dtype(kind)


def issubdtype(arg1, arg2):
    """Whether a dtype is of a class such as `floating`, or is a dtype."""
    own = dtype(arg1)
    if isinstance(arg2, type) and issubclass(arg2, generic):
        return own.kind in arg2.kinds
    if arg2 is float:
        return own.kind == "f"
    if arg2 is int:
        return own.kind == "i"
    return own == dtype(arg2)


class finfo:
    """The limits of a float dtype."""

    _table = {
        "float16": (16, 0.0009765625, 65504.0, 6.103515625e-05, 5.960464477539063e-08, 3),
        "bfloat16": (16, 0.0078125, 3.3895313892515355e38, 1.1754943508222875e-38, 9.183549615799121e-41, 2),
        "float32": (32, 1.1920928955078125e-07, 3.4028234663852886e38, 1.1754943508222875e-38, 1.401298464324817e-45, 6),
        "float64": (64, 2.220446049250313e-16, 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, 15),
    }

    def __init__(self, type, /):
        own = _coerced(type)
        if own.name not in self._table:
            raise ValueError(f"data type {own!r} not inexact")
        self.dtype = own
        self.bits, self.eps, self.max, self.smallest_normal, self.smallest_subnormal, self.precision = self._table[own.name]
        self.min = -self.max
        self.tiny = self.smallest_normal
        self.resolution = 10.0**-self.precision

    def __repr__(self):
        return f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype.name})"


class iinfo:
    """The limits of an integer dtype."""

    def __init__(self, type, /):
        self.dtype = _coerced(type)
        if self.dtype.kind != "i":
            raise ValueError(f"Invalid integer data type {self.dtype.kind!r}.")
        self.bits = 8 * self.dtype.itemsize
        self.min, self.max = -(1 << self.bits - 1), (1 << self.bits - 1) - 1

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype.name})"


def isscalar(element):
    """Whether this is a number or a text."""
    return isinstance(element, (int, float, complex, str, bytes))


def iscomplexobj(x):
    """Whether elements are complex: never."""
    return False


def isrealobj(x):
    """Whether elements are real: always."""
    return True


class __array_namespace_info__:
    """What the standard asks a namespace about itself."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 16}

    def default_device(self):
        return "cpu"

    def default_dtypes(self, *, device=None):
        return {"real floating": _F64, "complex floating": None, "integral": _I64, "indexing": _I64}

    def devices(self):
        return ["cpu"]

    def dtypes(self, *, device=None, kind=None):
        every = {it.name: it for it in (_BOOL, _I32, _I64, _F32, _F64)}
        return {name: it for name, it in every.items() if kind is None or isdtype(it, kind)}
