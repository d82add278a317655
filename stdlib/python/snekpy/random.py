"""Random numbers from a counter (Philox4x32-10): explicit keys as in `jax.random`, and a generator beside them.

The numbers depend on the key and on their position alone. A key is an int of 64 bits; `split` and `fold_in` make others
of it. Of larger ints the last 64 bits count.
"""

import math

import _snekpy_numpy as _native
from _snekpy_numpy import ndarray

_f = _native._names()
_F32, _F64, _I32, _I64 = _f["float32"], _f["float64"], _f["int32"], _f["int64"]
_log, _sqrt, _cos = _f["log"], _f["sqrt"], _f["cos"]

__all__ = [
    "Generator", "bernoulli", "categorical", "choice", "default_rng", "exponential", "fold_in", "gumbel", "integers",
    "key", "normal", "permutation", "randint", "random", "seed", "shuffle", "split", "truncated_normal", "uniform",
    "PRNGKey",
]

# What a key is used for: streams do not meet.
_VALUES, _SPLIT, _FOLD, _SECOND = 0, 1, 2, 3


def _number(key):
    if isinstance(key, ndarray):
        key = key.item()
    if not isinstance(key, int):
        raise TypeError(f"a key is an int, as key(seed) gives it, not {type(key).__name__}")
    return key


def _shape(shape):
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _words(key, shape, stream=_VALUES, device=None):
    return _native._random_bits(_number(key), stream, _shape(shape), device)


def key(seed):
    """A key of a seed."""
    if not isinstance(seed, int):
        raise TypeError("a seed is an int")
    return _native._random_bits(seed, _FOLD, (1,)).item()


PRNGKey = key


def split(key, num=2):
    """Keys that are independent of each other and of what the key itself gives."""
    made = _words(key, (math.prod(_shape(num)),), _SPLIT).tolist()
    return made if isinstance(num, int) else _nested(made, _shape(num))


def _nested(flat, shape):
    if len(shape) == 1:
        return flat
    each = len(flat) // shape[0]
    return [_nested(flat[i * each : (i + 1) * each], shape[1:]) for i in range(shape[0])]


def fold_in(key, data):
    """A key of a key and a number."""
    inner = _native._random_bits(data, _FOLD, (1,)).item()
    return _native._random_bits(_number(key) ^ inner, _FOLD, (1,)).item()


def _unit(key, shape, dtype, stream=_VALUES, device=None):
    """Numbers from 0 to 1, 1 excluded: as many bits as the dtype has digits."""
    words = _words(key, shape, stream, device)
    digits = 53 if dtype == _F64 else 24
    whole = (words >> (64 - digits)) & ((1 << digits) - 1)
    return whole.astype(dtype) * 2.0**-digits


def _float_dtype(dtype):
    dtype = _native.dtype(dtype)
    if dtype.kind != "f":
        raise ValueError(f"dtype argument must be a float dtype, got {dtype.name}")
    return dtype


def _in(dtype, draw):
    """Half precision is drawn in singles and rounded."""
    dtype = _float_dtype(dtype)
    return draw(dtype) if dtype.itemsize > 2 else draw(_F32).astype(dtype)


def uniform(key, shape=(), dtype=_F32, minval=0.0, maxval=1.0, *, device=None):
    """Evenly distributed from minval to maxval, maxval excluded."""
    return _in(dtype, lambda own: _unit(key, shape, own, device=device) * (maxval - minval) + minval)


def normal(key, shape=(), dtype=_F32, *, device=None):
    """The standard normal distribution, by Box and Muller."""

    def draw(own):
        radius = _sqrt(-2.0 * _log(1.0 - _unit(key, shape, own, device=device)))
        return radius * _cos((2.0 * math.pi) * _unit(key, shape, own, _SECOND, device))

    return _in(dtype, draw)


def truncated_normal(key, lower, upper, shape=(), dtype=_F32):
    """The standard normal distribution between two limits, by drawing again what lies outside."""

    def draw(own):
        made = normal(key, shape, own)
        for again in range(1, 1000):
            outside = (made < lower) | (made > upper)
            if not outside.any():
                return made
            made = _native._where(outside, normal(fold_in(key, again), shape, own), made)
        raise ValueError("truncated_normal: hardly anything lies between the limits")

    return _in(dtype, draw)


def exponential(key, shape=(), dtype=_F32, *, device=None):
    """The exponential distribution of mean 1."""
    return _in(dtype, lambda own: -_log(1.0 - _unit(key, shape, own, device=device)))


def gumbel(key, shape=(), dtype=_F32, *, device=None):
    """The standard Gumbel distribution."""

    def draw(own):
        tiny = 1.1754943508222875e-38 if own == _F32 else 2.2250738585072014e-308
        return -_log(-_log(_f["maximum"](_unit(key, shape, own, device=device), tiny)))

    return _in(dtype, draw)


def randint(key, shape, minval, maxval, dtype=_I64):
    """Integers from minval to maxval, maxval excluded, each equally likely (to within 2^-32 for small ranges)."""
    minval, maxval = int(minval), int(maxval)
    if maxval <= minval:
        raise ValueError("randint: maxval must be greater than minval")
    span = maxval - minval
    words = _words(key, shape)
    if span < 1 << 30:
        # The upper 32 bits times the span; what is left over by the lower bits is carried in.
        high, low = (words >> 32) & 0xFFFFFFFF, words & 0xFFFFFFFF
        made = (high * span + ((low * span) >> 32)) >> 32
    else:
        mask = (1 << 64) - 1
        made = _native._array([(it & mask) * span >> 64 for it in words.reshape(-1).tolist()], _I64, None)
        made = made.reshape(words.shape)
    return (made + minval).astype(dtype)


def bernoulli(key, p=0.5, shape=None, *, device=None):
    """True with probability p."""
    p = _native._array(p, None, None)
    shape = p.shape if shape is None else _shape(shape)
    return _unit(key, shape, _F64, device=device) < p


def permutation(key, x, axis=0, independent=False):
    """The elements along an axis, or the numbers below x, in random order."""
    if isinstance(x, int):
        x = _native._arange(0, x, 1, None)
    x = _native._array(x, None, None)
    from snekpy.numpy import take, take_along_axis

    if independent:
        order = _native._argsort(_words(key, x.shape), axis, False)
        return take_along_axis(x, order, axis)
    return take(x, _native._argsort(_words(key, (x.shape[axis],)), 0, False), axis)


def choice(key, a, shape=(), replace=True, p=None, axis=0):
    """Elements of a, or numbers below a, with or without putting them back."""
    from snekpy.numpy import take

    a = _native._arange(0, a, 1, None) if isinstance(a, int) else _native._array(a, None, None)
    count, shape = a.shape[axis], _shape(shape)
    wanted = math.prod(shape)
    if count == 0 and wanted:
        raise ValueError("a must be greater than 0 unless no samples are taken")
    if not replace and wanted > count:
        raise ValueError("Cannot take a larger sample than population when 'replace=False'")
    if p is None:
        if replace:
            at = randint(key, shape, 0, count)
        else:
            at = _native._argsort(_words(key, (count,)), 0, False)[:wanted].reshape(shape)
    else:
        p = _native._array(p, _F64, None)
        if p.shape != (count,):
            raise ValueError("p must be None or a 1D vector with the same size as a.shape[axis]")
        if replace:
            total = _native._scan("cumulative_sum", p, 0)
            at = _native._searchsorted(total, _unit(key, shape, _F64) * total[-1], True)
        else:
            scores = gumbel(key, (count,), _F64) + _log(p)
            at = _native._argsort(scores, 0, True)[:wanted].reshape(shape)
    return take(a, at, axis)


def categorical(key, logits, axis=-1, shape=None):
    """Numbers of categories with these logarithms of (not normalised) probabilities."""
    from snekpy.numpy import argmax, moveaxis

    logits = moveaxis(_native._array(logits, None, None), axis, -1)
    batch = logits.shape[:-1]
    shape = batch if shape is None else _shape(shape)
    if shape[len(shape) - len(batch) :] != batch:
        raise ValueError("categorical: the shape must end with the shape of logits without its axis")
    dtype = logits.dtype if logits.dtype.kind == "f" else _F64
    noise = gumbel(key, shape + logits.shape[-1:], dtype)
    return argmax(logits + noise, axis=-1)


class Generator:
    """A key that goes on by itself: each draw takes the next."""

    def __init__(self, seed=0):
        self._key, self._drawn = key(seed), 0

    def next_key(self):
        """A key that nobody has had."""
        self._drawn += 1
        return fold_in(self._key, self._drawn)

    def random(self, size=(), dtype=_F64):
        """Evenly distributed from 0 to 1, 1 excluded."""
        return uniform(self.next_key(), () if size is None else size, dtype)

    def uniform(self, low=0.0, high=1.0, size=()):
        """Evenly distributed from low to high."""
        return uniform(self.next_key(), () if size is None else size, _F64, low, high)

    def normal(self, loc=0.0, scale=1.0, size=()):
        """The normal distribution."""
        return normal(self.next_key(), () if size is None else size, _F64) * scale + loc

    def standard_normal(self, size=(), dtype=_F64):
        """The standard normal distribution."""
        return normal(self.next_key(), () if size is None else size, dtype)

    def exponential(self, scale=1.0, size=()):
        """The exponential distribution."""
        return exponential(self.next_key(), () if size is None else size, _F64) * scale

    def integers(self, low, high=None, size=(), dtype=_I64, endpoint=False):
        """Integers from low to high, or below low."""
        low, high = (0, low) if high is None else (low, high)
        return randint(self.next_key(), () if size is None else size, low, high + int(endpoint), dtype)

    def permutation(self, x, axis=0):
        """In random order."""
        return permutation(self.next_key(), x, axis)

    def shuffle(self, x, axis=0):
        """Into random order, in place."""
        if isinstance(x, ndarray):
            x[...] = permutation(self.next_key(), x, axis)
        else:
            order = permutation(self.next_key(), len(x)).tolist()
            x[:] = [x[at] for at in order]

    def _tail(self, size):
        """Evenly distributed from 0, excluded, to 1."""
        return 1.0 - self.random(size)

    def standard_exponential(self, size=()):
        """The exponential distribution of mean 1."""
        return self.exponential(1.0, size)

    def lognormal(self, mean=0.0, sigma=1.0, size=()):
        """What has a normally distributed logarithm."""
        return _f["exp"](self.normal(mean, sigma, size))

    def laplace(self, loc=0.0, scale=1.0, size=()):
        """Two exponential distributions, back to back."""
        u = self._tail(size) - 0.5
        return loc - scale * _f["sign"](u) * _f["log1p"](-2.0 * _f["abs"](u) * (1.0 - 2.0**-53))

    def logistic(self, loc=0.0, scale=1.0, size=()):
        """The logistic distribution."""
        u = self._tail(size) * (1.0 - 2.0**-53)
        return loc + scale * (_log(u) - _f["log1p"](-u))

    def gumbel(self, loc=0.0, scale=1.0, size=()):
        """Of the greatest of many."""
        return gumbel(self.next_key(), () if size is None else size, _F64) * scale + loc

    def rayleigh(self, scale=1.0, size=()):
        """The length of a vector of two normally distributed numbers."""
        return scale * _sqrt(-2.0 * _log(self._tail(size)))

    def weibull(self, a, size=()):
        """A power of what is exponentially distributed."""
        return self.exponential(1.0, size) ** (1.0 / a)

    def pareto(self, a, size=()):
        """The Lomax distribution."""
        return _f["expm1"](self.exponential(1.0, size) / a)

    def power(self, a, size=()):
        """With a density that is a power."""
        return self.random(size) ** (1.0 / a)

    def standard_cauchy(self, size=()):
        """The quotient of two normally distributed numbers."""
        return self.standard_normal(size) / self.standard_normal(size)

    def triangular(self, left, mode, right, size=()):
        """With a density that is a triangle."""
        u, at = self.random(size), (mode - left) / (right - left)
        rising = left + _sqrt(u * (right - left) * (mode - left))
        falling = right - _sqrt((1.0 - u) * (right - left) * (right - mode))
        return _native._where(u < at, rising, falling)

    def geometric(self, p, size=()):
        """How many trials it takes until one succeeds."""
        if not 0 < p <= 1:
            raise ValueError("p < 0, p > 1 or p contains NaNs")
        if p == 1:
            return _native._full(() if size is None else size, 1, _I64)
        return _f["ceil"](_log(self._tail(size)) / math.log1p(-p)).astype(_I64).clip(1, None)

    def poisson(self, lam=1.0, size=()):
        """How many events there are where lam are expected."""
        if lam < 0:
            raise ValueError("lam < 0 or lam contains NaNs")
        made, rest = _native._full(() if size is None else size, 0, _I64), lam
        # Of at most 500 at a time: products of more would be too small.
        while rest > 0:
            part = min(rest, 500.0)
            rest -= part
            product, limit = self._tail(size), math.exp(-part)
            goes_on = product > limit
            while _native._reduce("any", goes_on, None, False):
                made = made + goes_on.astype(_I64)
                product = product * self._tail(size)
                goes_on = goes_on & (product > limit)
        return made

    def binomial(self, n, p, size=()):
        """How many of n trials succeed."""
        if n < 0 or not 0 <= p <= 1:
            raise ValueError("n < 0, p < 0, p > 1 or p is NaN")
        made = _native._full(() if size is None else size, 0, _I64)
        for _ in range(n):
            made = made + (self.random(size) < p).astype(_I64)
        return made

    def standard_gamma(self, shape, size=()):
        """The gamma distribution of scale 1: Marsaglia and Tsang's."""
        if shape < 0:
            raise ValueError("shape < 0")
        if shape < 1:
            return self.standard_gamma(shape + 1.0, size) * self._tail(size) ** (1.0 / shape) if shape else self.random(size) * 0.0
        d = shape - 1.0 / 3.0
        c = 1.0 / (9.0 * d) ** 0.5
        made = _native._full(() if size is None else size, 0.0, _F64)
        missing = made == 0.0
        while _native._reduce("any", missing, None, False):
            x = self.standard_normal(size)
            v = (1.0 + c * x) ** 3
            fits = (v > 0) & (_log(self._tail(size)) < 0.5 * x * x + d - d * v + d * _log(_native._where(v > 0, v, 1.0)))
            made = _native._where(missing & fits, d * v, made)
            missing = missing & ~fits
        return made

    def gamma(self, shape, scale=1.0, size=()):
        """The gamma distribution."""
        return self.standard_gamma(shape, size) * scale

    def chisquare(self, df, size=()):
        """The sum of df squares of normally distributed numbers."""
        return 2.0 * self.standard_gamma(df / 2.0, size)

    def beta(self, a, b, size=()):
        """The beta distribution."""
        x, y = self.standard_gamma(a, size), self.standard_gamma(b, size)
        return x / (x + y)

    def standard_t(self, df, size=()):
        """Student's distribution."""
        return self.standard_normal(size) / _sqrt(self.chisquare(df, size) / df)

    def multivariate_normal(self, mean, cov, size=()):
        """Normally distributed vectors with these covariances."""
        from snekpy.numpy.linalg import svd

        mean, cov = _native._array(mean, _F64, None), _native._array(cov, _F64, None)
        if mean.ndim != 1 or cov.shape != mean.shape * 2:
            raise ValueError("mean and cov must have same length")
        u, s, _ = svd(cov)
        shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
        z = self.standard_normal(shape + mean.shape)
        return mean + (z * _sqrt(s)) @ u.T

    def choice(self, a, size=(), replace=True, p=None, axis=0):
        """Elements of a."""
        return choice(self.next_key(), a, () if size is None else size, replace, p, axis)


_generator = Generator(0)


def default_rng(seed=0):
    """A generator."""
    return Generator(0 if seed is None else seed)


def seed(seed):
    """Begins the module's own generator anew."""
    _generator.__init__(seed)


def random(size=()):
    """Evenly distributed from 0 to 1, from the module's own generator."""
    return _generator.random(size)


def integers(low, high=None, size=()):
    """Integers, from the module's own generator."""
    return _generator.integers(low, high, size)


def shuffle(x):
    """Into random order, in place, by the module's own generator."""
    return _generator.shuffle(x)
