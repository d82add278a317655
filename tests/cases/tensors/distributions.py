"""Distributions of `snekpy.random` have the moments that they should have, staged and not."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import random, stage

EXPECTED = {
    # name: arguments, mean, standard deviation
    "standard_exponential": ((), 1.0, 1.0),
    "lognormal": ((0.0, 0.5), 1.133, 0.604),
    "laplace": ((1.0, 2.0), 1.0, 2.828),
    "logistic": ((1.0, 0.5), 1.0, 0.907),
    "gumbel": ((0.0, 1.0), 0.577, 1.283),
    "rayleigh": ((2.0,), 2.507, 1.310),
    "weibull": ((2.0,), 0.886, 0.463),
    "pareto": ((5.0,), 0.25, 0.323),
    "power": ((3.0,), 0.75, 0.194),
    "triangular": ((0.0, 1.0, 4.0), 1.667, 0.850),
    "geometric": ((0.25,), 4.0, 3.464),
    "poisson": ((3.5,), 3.5, 1.871),
    "binomial": ((10, 0.3), 3.0, 1.449),
    "gamma": ((2.5, 2.0), 5.0, 3.162),
    "standard_gamma": ((0.5,), 0.5, 0.707),
    "chisquare": ((4.0,), 4.0, 2.828),
    "beta": ((2.0, 3.0), 0.4, 0.2),
    "standard_t": ((10.0,), 0.0, 1.118),
}

generator = random.default_rng(7)
for name, (args, mean, deviation) in EXPECTED.items():
    made = getattr(generator, name)(*args, size=20000)
    near = abs(float(made.mean()) - mean) < 0.06 * deviation and abs(float(made.std()) / deviation - 1) < 0.12
    print(name, made.shape, made.dtype.name, near or (float(made.mean()), float(made.std())))

vectors = generator.multivariate_normal([1.0, -1.0], [[2.0, 0.8], [0.8, 1.0]], size=20000)
print(vectors.shape, np.abs(np.cov(vectors.T) - np.array([[2.0, 0.8], [0.8, 1.0]])).max() < 0.1)

items = list(range(10))
generator.shuffle(items)
print(sorted(items) == list(range(10)), items != list(range(10)))


@stage
def noisy(seed, x, n):
    generator = random.default_rng(seed)
    for i in range(n):
        x = x + generator.laplace(0.0, 0.1, 4) + generator.poisson(2.0, 4)
    return x


for n in (1, 3):
    print(noisy(5, np.zeros(4), n))
