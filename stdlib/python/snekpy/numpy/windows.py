"""Windows: weights that fall off towards both ends."""

import _snekpy_numpy as _native

from .elementwise import _given

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]

_f = _native._names()
_PI = 3.141592653589793


def _odd(count):
    """The odd numbers from 1 - count to count - 1: twice the distance from the middle."""
    return _native._arange(1 - count, count, 2, None).astype("float64")


def _window(count, weights):
    if count < 1:
        return _native._full((0,), 0.0, "float64")
    if count == 1:
        return _native._full((1,), 1.0, "float64")
    return weights(_odd(count))


def hanning(M):
    """Half a cosine, raised: zero at both ends."""
    return _window(M, lambda n: 0.5 + 0.5 * _f["cos"](_PI * n / (M - 1)))


def hamming(M):
    """Half a cosine, raised: not quite zero at both ends."""
    return _window(M, lambda n: 0.54 + 0.46 * _f["cos"](_PI * n / (M - 1)))


def blackman(M):
    """Two cosines."""
    return _window(
        M, lambda n: 0.42 + 0.5 * _f["cos"](_PI * n / (M - 1)) + 0.08 * _f["cos"](2.0 * _PI * n / (M - 1))
    )


def bartlett(M):
    """A triangle."""
    return _window(M, lambda n: _native._where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1)))


def kaiser(M, beta):
    """A Bessel function of a circle."""
    half = (M - 1) / 2.0
    of = lambda n: i0(beta * _f["sqrt"](1 - ((n - half) / half) ** 2.0)) / i0(beta * 1.0)
    return _window(M, lambda _: of(_native._arange(0, M, 1, None).astype("float64")))


# Chebyshev coefficients of exp(-x) I0(x) for 0 <= x <= 8, and of exp(-x) sqrt(x) I0(x) beyond (Cephes).
_NEAR = (
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16, 1.71539128555513303061e-15,
    -1.16853328779934516808e-14, 7.67618549860493561688e-14, -4.85644678311192946090e-13, 2.95505266312963983461e-12,
    -1.72682629144155570723e-11, 9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7, 1.11738753912010371815e-6,
    -4.41673835845875056359e-6, 1.64484480707288970893e-5, -5.75419501008210370398e-5, 1.88502885095841655729e-4,
    -5.76375574538582365885e-4, 1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2, 1.71620901522208775349e-1,
    -3.04682672343198398683e-1, 6.76795274409476084995e-1,
)
_FAR = (
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17, 3.46122286769746109310e-17,
    -2.82762398051658348494e-16, -3.42548561967721913462e-16, 1.77256013305652638360e-15, 3.81168066935262242075e-15,
    -9.55484669882830764870e-15, -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11, -3.14991652796324136454e-11,
    1.18891471078464383424e-11, 4.94060238822496958910e-10, 3.39623202570838634515e-9, 2.26666899049817806459e-8,
    2.04891858946906374183e-7, 2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
)


def _chebyshev(x, coefficients):
    b0, b1, b2 = coefficients[0], 0.0, 0.0
    for it in coefficients[1:]:
        b0, b1, b2 = x * b0 - b1 + it, b0, b1
    return 0.5 * (b0 - b2)


def i0(x):
    """The modified Bessel function of the first kind and order 0."""
    given = _given(x) * 1.0
    x = _f["abs"](given.astype("float64"))
    near = _f["exp"](x) * _chebyshev(x / 2.0 - 2, _NEAR)
    far = _native._where(x > 8.0, x, 8.0)
    far = _f["exp"](far) * _chebyshev(32.0 / far - 2.0, _FAR) / _f["sqrt"](far)
    return _native._where(x > 8.0, far, near).astype(given.dtype)
