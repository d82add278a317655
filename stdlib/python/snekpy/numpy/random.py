"""`numpy.random` over `snekpy.random`: NumPy's names and signatures. The numbers are others than NumPy's."""

from snekpy.random import Generator, _generator, default_rng, seed

__all__ = [
    "Generator", "choice", "default_rng", "normal", "permutation", "rand", "randint", "randn", "random",
    "random_sample", "seed", "shuffle", "standard_normal", "uniform", "exponential", "RandomState",
]

# The distributions that the generator has under NumPy's names.
_MORE = """beta binomial chisquare gamma geometric gumbel laplace logistic lognormal multivariate_normal pareto poisson power
    rayleigh standard_cauchy standard_exponential standard_gamma standard_t triangular weibull""".split()
__all__ += _MORE
globals().update({name: getattr(_generator, name) for name in _MORE})

choice, permutation, shuffle = _generator.choice, _generator.permutation, _generator.shuffle
normal, uniform, exponential = _generator.normal, _generator.uniform, _generator.exponential
standard_normal = _generator.standard_normal
random = random_sample = _generator.random


def rand(*shape):
    """Evenly distributed from 0 to 1."""
    return _generator.random(shape)


def randn(*shape):
    """The standard normal distribution."""
    return _generator.standard_normal(shape)


def randint(low, high=None, size=(), dtype="int64"):
    """Integers from low to high, high excluded."""
    return _generator.integers(low, high, size, dtype)


class RandomState(Generator):
    """NumPy's older generator, by name only."""

    def rand(self, *shape):
        return self.random(shape)

    def randn(self, *shape):
        return self.standard_normal(shape)

    def randint(self, low, high=None, size=()):
        return self.integers(low, high, size)
