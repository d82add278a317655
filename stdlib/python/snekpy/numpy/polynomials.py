"""Polynomials as their coefficients, the highest power first."""

import _snekpy_numpy as _native

from .elementwise import _given

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval"]


def _line(p):
    p = _given(p)
    p = p.reshape(-1) if p.ndim == 0 else p
    if p.ndim != 1:
        raise ValueError("a polynomial has one axis")
    return p


def polyval(p, x):
    """Its value at x."""
    p, x = _given(p), _given(x)
    made = x * 0
    for it in p:
        made = made * x + it
    return made


def polyadd(a1, a2):
    """The sum of two."""
    a1, a2 = _line(a1), _line(a2)
    zeros = lambda count, like: _native._full((max(count, 0),), 0, like.dtype)
    a = _native._concat([zeros(len(a2) - len(a1), a1), a1], 0)
    return a + _native._concat([zeros(len(a1) - len(a2), a2), a2], 0)


def polysub(a1, a2):
    """The difference of two."""
    return polyadd(a1, -_line(a2))


def _trimmed(p):
    at = _native._nonzero(p)[0]
    return p[int(at[0]):] if len(at) else p[:0]


def polymul(a1, a2):
    """The product of two."""
    from .statistics import convolve

    a1, a2 = _trimmed(_line(a1)), _trimmed(_line(a2))
    none = lambda it: _native._full((1,), 0.0, "float64") if len(it) == 0 else it
    return convolve(none(a1), none(a2))


def polydiv(u, v):
    """The quotient of two, and the rest."""
    u, v = _line(u) + 0.0, _line(v) + 0.0
    m, n = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    quotient = _native._full((max(m - n + 1, 1),), 0.0, u.dtype)
    rest = u.astype(u.dtype)
    for k in range(0, m - n + 1):
        d = scale * rest[k]
        quotient[k] = d
        rest[k:k + n + 1] -= d * v
    while len(rest) > 1 and abs(rest[0]) < 1e-14:
        rest = rest[1:]
    return quotient, rest


def polyder(p, m=1):
    """Its derivative."""
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = _line(p)
    for _ in range(m):
        n = len(p) - 1
        p = p[:-1] * _native._arange(n, 0, -1, None)
    return p


def polyint(p, m=1, k=None):
    """Its integral, with constants k."""
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    p = _line(p)
    constants = [0.0] * m if k is None else _line(k).tolist()
    if len(constants) == 1 and m > 1:
        constants = constants * m
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for at in range(m):
        p = p / _native._arange(len(p), 0, -1, None)
        p = _native._concat([p, _native._full((1,), constants[at], p.dtype)], 0)
    return p


def poly(seq_of_zeros):
    """The one that is zero at these places and begins with 1; of a matrix its characteristic polynomial, if symmetric."""
    from .statistics import convolve

    zeros = _given(seq_of_zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] != 0:
        from .linalg import eigvalsh

        if not bool((zeros == zeros.T).all()):
            raise NotImplementedError("poly of a matrix that is not symmetric")
        zeros = eigvalsh(zeros)
    elif zeros.ndim > 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    made = _native._full((1,), 1.0, "float64")
    for it in zeros.reshape(-1):
        made = convolve(made, _native._stack([_given(1.0), -it.astype("float64")], 0))
    return made


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The one of this degree that fits points best: least squares."""
    from .creation import vander
    from .linalg import lstsq

    if cov:
        raise NotImplementedError("polyfit with cov=True")
    x, y = _given(x) + 0.0, _given(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if rcond is None:
        rcond = len(x) * (2.220446049250313e-16 if x.dtype.itemsize == 8 else 1.1920929e-07)
    left, right = vander(x, deg + 1), y
    if w is not None:
        w = _given(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        left = left * w[:, None]
        right = right * (w[:, None] if right.ndim == 2 else w)
    scale = (left * left).sum(axis=0) ** 0.5
    c, residuals, rank, s = lstsq(left / scale, right, rcond)
    c = (c.T / scale).T
    return (c, residuals, rank, s, rcond) if full else c
