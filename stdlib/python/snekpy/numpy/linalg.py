"""Linear algebra. Matrices are in the last two axes; what takes them apart is native."""

import builtins
from collections import namedtuple

import _snekpy_numpy as _native

from .creation import eye
from .elementwise import _given, _out
from .manipulation import _axes, matrix_transpose, moveaxis
from .products import cross, matmul, matvec, outer as _outer, tensordot, vecdot, vecmat
from .creation import diagonal as _diagonal
from .products import trace as _trace
from . import statistics

_f = _native._names()
_sqrt, _abs = _f["sqrt"], _f["abs"]

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "lstsq", "matmul",
    "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "matvec", "multi_dot", "norm", "outer", "pinv",
    "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vecmat", "vector_norm",
]


def outer(x1, x2, /):
    """The products of all pairs of two lines."""
    x1, x2 = _given(x1), _given(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={x1.ndim!r} and x2.ndim={x2.ndim!r}."
        )
    return _outer(x1, x2)


EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = namedtuple("QRResult", "Q R")
SlogdetResult = namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = namedtuple("SVDResult", "U S Vh")


class LinAlgError(ValueError):
    """A matrix that has no answer."""


def _float(x):
    x = _given(x)
    if x.dtype.itemsize == 2 and x.dtype.kind == "f":
        raise TypeError(f"array type {x.dtype.name} is unsupported in linalg")
    return x if x.dtype.kind == "f" else x.astype("float64")


def _matrices(x, square=False):
    x = _float(x)
    if x.ndim < 2:
        raise LinAlgError(f"{x.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and x.shape[-1] != x.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return x


def diagonal(x, /, *, offset=0):
    """The diagonals of the matrices."""
    return _diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals."""
    return _trace(x, offset, -2, -1, dtype)


def _parts(how, x, error):
    """What matrices are taken apart into, one below the other; NaN says that there is no answer."""
    made = _native._decompose(how, x)
    if statistics.any(_f["isnan"](made[..., :1, :1])):
        raise LinAlgError(error)
    return made


def cholesky(x, /, *, upper=False):
    """The lower triangle L with L @ L.T equal to the matrix, which is positive definite."""
    x = _matrices(x, True)
    if x.size == 0:
        return x.copy()
    # Of the upper triangle the conjugate of the other half is read, which is the same.
    made = _parts("cholesky", x.mT if upper else x, "Matrix is not positive definite")
    return made.mT.copy() if upper else made


def _pivots(x):
    """The diagonals of the factors of matrices, and the sign of the order that their rows are in."""
    x = _matrices(x, True)
    return diagonal(_native._lu(x)), _native._lu_order(x)[..., -1]


def slogdet(x, /):
    """Sign and logarithm of the magnitude of the determinant."""
    pivots, sign = _pivots(x)
    sign = (statistics.prod(_f["sign"](pivots), -1) * sign).astype(pivots.dtype)
    return SlogdetResult(sign, statistics.sum(_f["log"](_abs(pivots)), -1).astype(pivots.dtype))


def det(x, /):
    """The determinant."""
    pivots, sign = _pivots(x)
    return (statistics.prod(pivots, -1) * sign).astype(pivots.dtype)


def _solve(a, b):
    batch = tuple(_native._broadcast_shapes([a.shape[:-2], b.shape[:-2]]))
    a = _native._broadcast_to(a, batch + a.shape[-2:])
    b = _native._broadcast_to(b, batch + b.shape[-2:])
    factors = _native._lu(a)
    if statistics.any(diagonal(factors) == 0):
        raise LinAlgError("Singular matrix")
    return _native._lu_solve(factors, _native._lu_order(a), b)


def solve(x1, x2, /):
    """What times the matrix x1 is x2: vectors if x2 has one axis, else matrices."""
    a, b = _matrices(x1, True), _float(x2)
    dtype = _native._result_type((a, b))
    a, b = a.astype(dtype), b.astype(dtype)
    vector = b.ndim == 1
    b = b[:, None] if vector else b
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m,n)->(m,n) "
            f"(size {b.shape[-2]} is different from {a.shape[-1]})"
        )
    made = _solve(a, b)
    return made[..., 0] if vector else made


def inv(x, /):
    """The inverse."""
    a = _matrices(x, True)
    return _solve(a, eye(a.shape[-1], dtype=a.dtype))


def qr(x, /, *, mode="reduced"):
    """Q with orthonormal columns and R above the diagonal, whose product is the matrix: Householder's reflections."""
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    x = _matrices(x)
    made = _native._decompose("qr_complete" if mode == "complete" else "qr", x)
    rows = x.shape[-2]
    r = made[..., rows:, :].mT.copy()
    return r if mode == "r" else QRResult(made[..., :rows, :].copy(), r)


def eigh(x, /, UPLO="L"):
    """Eigenvalues, ascending, and eigenvectors of symmetric matrices: the implicit QL of a tridiagonal matrix."""
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    values, vectors = _eigh(_matrices(x, True), UPLO)
    return EighResult(values, vectors)


def _eigh(x, UPLO):
    if x.shape[-1] == 0:
        return x[..., 0], x.copy()
    made = _parts("eigh", x if UPLO.upper() == "L" else x.mT, "Eigenvalues did not converge")
    return made[..., 0, :].copy(), made[..., 1:, :].copy()


def eigvalsh(x, /, UPLO="L"):
    """The eigenvalues of symmetric matrices, ascending."""
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return _eigh(_matrices(x, True), UPLO)[0]


def svd(x, /, *, full_matrices=True, compute_uv=True):
    """Singular values, descending, and both bases: Jacobi's rotations of columns."""
    u, s, vh = _svd(_matrices(x), full_matrices)
    return SVDResult(u, s, vh) if compute_uv else s


def _svd(x, full_matrices=False):
    rows, columns = x.shape[-2:]
    if rows == 0 or columns == 0:
        some = lambda n: eye(n, n if full_matrices else 0, dtype=x.dtype)
        s = x.reshape(x.shape[:-2] + (0,))
        wide = lambda made: _native._broadcast_to(made, x.shape[:-2] + made.shape).copy()
        return wide(some(rows)), s, wide(some(columns).T)
    made = _parts("svd", x, "SVD did not converge")
    s = made[..., rows, :].copy()
    u, v = made[..., :rows, :], made[..., rows + 1 :, :]
    if full_matrices:
        u, v = _completed(u), _completed(v)
    return u.copy(), s, v.mT.copy()


def _completed(q):
    """Orthonormal columns, and more of them until they are a basis."""
    rows, columns = q.shape[-2:]
    if rows == columns:
        return q
    basis = _native._decompose("qr_complete", q)[..., :rows, columns:]
    return _native._concat([q, basis], -1)


def svdvals(x, /):
    """The singular values, descending."""
    return _svd(_matrices(x))[1]


def pinv(x, /, *, rtol=None):
    """The pseudo-inverse of Moore and Penrose."""
    x = _matrices(x)
    u, s, vh = _svd(x)
    if rtol is None:
        rtol = 1e-15
    large = s > rtol * statistics.max(s, axis=-1, keepdims=True)
    inverse = _native._where(large, 1.0 / _native._where(large, s, 1.0), 0.0).astype(x.dtype)
    return matmul(vh.mT, inverse[..., None] * u.mT)


def matrix_rank(x, /, *, rtol=None, tol=None):
    """How many singular values are not negligible."""
    x = _given(x)
    if x.ndim < 2:
        return _native._array(int(statistics.any(x != 0)), "int64", None)
    s = svdvals(x)
    if tol is None:
        if rtol is None:
            rtol = builtins.max(x.shape[-2:]) * (2.220446049250313e-16 if s.dtype.itemsize == 8 else 1.1920929e-07)
        tol = statistics.max(s, axis=-1, keepdims=True) * rtol
    return statistics.count_nonzero(s > tol, axis=-1)


def cond(x, p=None):
    """How much errors can grow: the largest through the least singular value."""
    if p in (None, 2):
        s = svdvals(x)
        return s[..., 0] / s[..., -1]
    return matrix_norm(x, ord=p) * matrix_norm(inv(x), ord=p)


def matrix_power(x, n, /):
    """The matrix times itself."""
    x = _given(x)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    if n < 0:
        x, n = inv(x), -n
    made = _native._broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape).copy()
    while n:
        if n & 1:
            made = matmul(made, x)
        x, n = matmul(x, x), n >> 1
    return made


def multi_dot(arrays, *, out=None):
    """The product of all, from the left."""
    made = arrays[0]
    for it in arrays[1:]:
        made = _given(made) @ _given(it)
    return _out(out, made)


def lstsq(a, b, rcond=None):
    """The least solution of least squares."""
    a, b = _matrices(a), _float(b)
    vector = b.ndim == 1
    right = b[:, None] if vector else b
    u, s, vh = _svd(a)
    eps = 2.220446049250313e-16 if a.dtype.itemsize == 8 else 1.1920929e-07
    keep = s > (builtins.max(a.shape) * eps if rcond is None else rcond) * s[0]
    rank = int(statistics.count_nonzero(keep))
    inverse = _native._where(keep, 1.0 / _native._where(keep, s, 1.0), 0.0).astype(a.dtype)
    made = vh.T @ (inverse[:, None] * (u.T @ right))
    rest = right - a @ made
    residuals = statistics.sum(rest * rest, axis=0) if rank == a.shape[1] and a.shape[0] > a.shape[1] else made[:0, 0]
    return (made[:, 0] if vector else made), residuals, rank, s


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The length of vectors."""
    x = _given(x)
    x = x if x.dtype.kind == "f" else x.astype("float64")
    size = _abs(x)
    if ord == float("inf"):
        return statistics.max(size, axis, keepdims=keepdims)
    if ord == -float("inf"):
        return statistics.min(size, axis, keepdims=keepdims)
    if ord == 0:
        return statistics.sum((x != 0).astype(x.dtype), axis, keepdims=keepdims)
    if ord == 1:
        return statistics.sum(size, axis, keepdims=keepdims)
    if ord == 2:
        return _sqrt(statistics.sum(x * x, axis, keepdims=keepdims))
    return statistics.sum(size**ord, axis, keepdims=keepdims) ** (1.0 / ord)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of matrices: 'fro', 'nuc', 1, 2, inf and their negatives."""
    x = _given(x)
    x = x if x.dtype.kind == "f" else x.astype("float64")
    inf = float("inf")
    if ord == "fro":
        made = _sqrt(statistics.sum(x * x, (-2, -1)))
    elif ord == "nuc":
        made = statistics.sum(svdvals(x), -1)
    elif ord in (2, -2):
        s = svdvals(x)
        made = statistics.max(s, -1) if ord == 2 else statistics.min(s, -1)
    elif ord in (1, -1, inf, -inf):
        sums = statistics.sum(_abs(x), -2 if ord in (1, -1) else -1)
        made = statistics.max(sums, -1) if ord > 0 else statistics.min(sums, -1)
    else:
        raise ValueError("Invalid norm order for matrices.")
    return made[..., None, None] if keepdims else made


def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of vectors or matrices, as NumPy has it."""
    x = _given(x)
    if axis is None and ord is None:
        made = vector_norm(x.reshape(-1))
        return made.reshape((1,) * x.ndim) if keepdims else made
    axes = _axes(axis, x.ndim)
    if len(axes) == 1:
        return vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    made = matrix_norm(moveaxis(x, axes, (-2, -1)), ord="fro" if ord is None else ord)
    if keepdims:
        made = made.reshape([1 if at in axes else n for at, n in enumerate(x.shape)])
    return made
