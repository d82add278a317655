"""Linear algebra: plain algorithms over products and slices. Matrices are in the last two axes."""

import builtins
from collections import namedtuple

import _snekpy_numpy as _native

from .creation import eye, tril
from .elementwise import _given
from .manipulation import _axes, matrix_transpose, moveaxis, stack
from .products import cross, matmul, matvec, outer, tensordot, vecdot, vecmat
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


def _each(function, *arrays):
    """The function of each matrix: results are put together along the axes before."""
    batch = _native._broadcast_shapes([it.shape[:-2] for it in arrays])
    if not batch:
        return function(*arrays)
    flat = [_native._broadcast_to(it, tuple(batch) + it.shape[-2:]).reshape((-1,) + it.shape[-2:]) for it in arrays]
    results = [function(*parts) for parts in zip(*flat)]
    if not results:
        raise LinAlgError("a stack of no matrices")
    if isinstance(results[0], tuple):
        return tuple(stack(part).reshape(tuple(batch) + part[0].shape) for part in zip(*results))
    return stack(results).reshape(tuple(batch) + results[0].shape)


def diagonal(x, /, *, offset=0):
    """The diagonals of the matrices."""
    return _diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals."""
    return _trace(x, offset, -2, -1, dtype)


def cholesky(x, /, *, upper=False):
    """The lower triangle L with L @ L.T equal to the matrix, which is positive definite."""

    def one(a):
        n = a.shape[0]
        made = a * 0
        for j in range(n):
            row = made[j, :j]
            left = a[j, j] - (row @ row if j else 0.0)
            if not left > 0:
                raise LinAlgError("Matrix is not positive definite")
            made[j, j] = _sqrt(left)
            if j + 1 < n:
                below = a[j + 1 :, j]
                if j:
                    below = below - made[j + 1 :, :j] @ row
                made[j + 1 :, j] = below / made[j, j]
        return made

    made = _each(one, _matrices(x, True))
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

    def one(a):
        m, n = a.shape
        r, q = a.copy(), eye(m, dtype=a.dtype)
        for j in range(builtins.min(m - 1, n)):
            column = r[j:, j]
            length = _sqrt(column @ column)
            if length == 0:
                continue
            v = column.copy()
            v[0] += _f["copysign"](length, column[0])
            v /= _sqrt(v @ v)
            r[j:, j:] -= 2.0 * outer(v, v @ r[j:, j:])
            q[:, j:] -= 2.0 * outer(q[:, j:] @ v, v)
            r[j + 1 :, j] = 0
        k = builtins.min(m, n)
        return (q[:, :k].copy(), r[:k].copy()) if mode != "complete" else (q, r)

    q, r = _each(one, _matrices(x))
    return r if mode == "r" else QRResult(q, r)


def eigh(x, /, UPLO="L"):
    """Eigenvalues, ascending, and eigenvectors of symmetric matrices: Jacobi's rotations."""

    def one(a):
        n = a.shape[0]
        low = tril(a) if UPLO == "L" else tril(a.T)
        a = low + tril(low, k=-1).T
        vectors = eye(n, dtype=a.dtype)
        limit = float(_sqrt(statistics.sum(a * a))) * (1e-16 if a.dtype.itemsize == 8 else 1e-8)
        for _ in range(60):
            away = tril(a, k=-1)
            if float(_sqrt(statistics.sum(away * away))) <= limit:
                break
            for p in range(n - 1):
                for q in range(p + 1, n):
                    apq = a[p, q].item()
                    if apq == 0.0:
                        continue
                    theta = (a[q, q].item() - a[p, p].item()) / (2.0 * apq)
                    t = (1.0 if theta >= 0 else -1.0) / (builtins.abs(theta) + (theta * theta + 1.0) ** 0.5)
                    c = 1.0 / (t * t + 1.0) ** 0.5
                    turn = _native._array([[c, t * c], [-t * c, c]], a.dtype, None)
                    pair = [p, q]
                    a[:, pair] = a[:, pair] @ turn
                    a[pair] = turn.T @ a[pair]
                    vectors[:, pair] = vectors[:, pair] @ turn
        values = _diagonal(a)
        order = _native._argsort(values, 0, False)
        return values[order], vectors[:, order]

    values, vectors = _each(one, _matrices(x, True))
    return EighResult(values, vectors)


def eigvalsh(x, /, UPLO="L"):
    """The eigenvalues of symmetric matrices, ascending."""
    return eigh(x, UPLO).eigenvalues


def _svd(a):
    """One-sided Jacobi: columns are turned until they are orthogonal."""
    m, n = a.shape
    if m < n:
        u, s, vh = _svd(a.T)
        return vh.T.copy(), s, u.T.copy()
    u, v = a.copy(), eye(n, dtype=a.dtype)
    eps = 1e-15 if a.dtype.itemsize == 8 else 1e-7
    for _ in range(60):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                x, y = u[:, p], u[:, q]
                alpha, beta, gamma = (x @ x).item(), (y @ y).item(), (x @ y).item()
                if gamma == 0.0 or builtins.abs(gamma) <= eps * (alpha * beta) ** 0.5:
                    continue
                turned = True
                zeta = (beta - alpha) / (2.0 * gamma)
                t = (1.0 if zeta >= 0 else -1.0) / (builtins.abs(zeta) + (1.0 + zeta * zeta) ** 0.5)
                c = 1.0 / (1.0 + t * t) ** 0.5
                turn = _native._array([[c, t * c], [-t * c, c]], a.dtype, None)
                pair = [p, q]
                u[:, pair] = u[:, pair] @ turn
                v[:, pair] = v[:, pair] @ turn
        if not turned:
            break
    lengths = _sqrt(statistics.sum(u * u, axis=0))
    order = _native._argsort(lengths, 0, True)
    u, v, s = u[:, order], v[:, order], lengths[order]
    largest = float(s[0]) if n else 0.0
    null = [j for j in range(n) if float(s[j]) <= largest * eps * 1e-3]
    safe = s.copy()
    for j in null:
        safe[j] = 1.0
    u = u / safe
    for j in null:
        # Any direction that is orthogonal to the columns before it.
        for i in range(m):
            candidate = eye(m, dtype=a.dtype)[i]
            for _ in range(2):
                candidate = candidate - u[:, :j] @ (u[:, :j].T @ candidate)
            length = _sqrt(candidate @ candidate)
            if length > 0.5 / m**0.5:
                u[:, j] = candidate / length
                break
    return u, s, v.T.copy()


def svd(x, /, *, full_matrices=True, compute_uv=True):
    """Singular values, descending, and both bases."""

    def one(a):
        u, s, vh = _svd(a)
        if full_matrices:
            k = s.shape[0]
            u = _completed(u, a.shape[0]) if a.shape[0] > k else u
            vh = _completed(vh.T, a.shape[1]).T.copy() if a.shape[1] > k else vh
        return u, s, vh

    u, s, vh = _each(one, _matrices(x))
    return SVDResult(u, s, vh) if compute_uv else s


def _completed(q, n):
    """Orthonormal columns, and more of them until they are a basis."""
    basis = qr(q, mode="complete").Q
    basis[:, : q.shape[1]] = q
    return basis


def svdvals(x, /):
    """The singular values, descending."""
    return svd(x, full_matrices=False).S


def pinv(x, /, *, rtol=None):
    """The pseudo-inverse of Moore and Penrose."""
    x = _matrices(x)
    u, s, vh = svd(x, full_matrices=False)
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
    return made


def lstsq(a, b, rcond=None):
    """The least solution of least squares."""
    a, b = _matrices(a), _float(b)
    vector = b.ndim == 1
    right = b[:, None] if vector else b
    u, s, vh = svd(a, full_matrices=False)
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
