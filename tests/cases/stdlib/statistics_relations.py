# stdlib: regressions and normal distributions of `statistics`, of staged numbers.
import statistics
from statistics import NormalDist

from support import show


def covariance(a, b):
    return statistics.covariance([1, 2, a], [4, 6, b])


def correlation(a, b):
    return round(statistics.correlation([1, 2, a], [4, 6, b]), 9)


def regression(a, b):
    slope, intercept = statistics.linear_regression([1, 2, a], [4, 6, b])
    return round(slope, 9), round(intercept, 9)


def proportional(a, b):
    return round(statistics.linear_regression([1, a], [4, b], proportional=True).slope, 9)


def predicted(x):
    line = statistics.linear_regression([1, 2, 3], [3, 5, 7])
    return round(line.slope * x + line.intercept, 9)


def standard_pdf(x):
    return NormalDist().pdf(x)


def standard_cdf(x):
    return NormalDist().cdf(x)


def pdf(mu, sigma, x):
    return NormalDist(mu, sigma).pdf(x)


def cdf(mu, sigma, x):
    return NormalDist(mu, sigma).cdf(x)


def inverse(p):
    return NormalDist(10, 2).inv_cdf(p)


def zscore(mu, sigma, x):
    return NormalDist(mu, sigma).zscore(x)


def shifted(x):
    d = NormalDist(1, 2) + x
    return d.mean, d.stdev, d.variance, d.median, d.mode


def scaled(x):
    d = NormalDist(1, 2) * x - 1
    return d.mean, d.stdev


def divided(x):
    return (NormalDist(1, 2) / x).mean


def summed(mu, sigma):
    d = NormalDist(mu, sigma) + NormalDist(1, 4)
    return d.mean, d.stdev


def overlap(mu, sigma):
    return round(NormalDist(mu, sigma).overlap(NormalDist(0, 1)), 12)


def equal(mu, sigma):
    return NormalDist(mu, sigma) == NormalDist(0, 1), -NormalDist(mu, sigma) == NormalDist(0, 1)


def quantiles(n):
    return [round(q, 9) for q in NormalDist(5, 2).quantiles(n)]


def fitted(a, b, c):
    d = NormalDist.from_samples([a, b, c])
    return d.mean, d.stdev


NORMAL = NormalDist(100, 15)

show(covariance, (3, 8), (0, 0), (2.5, 7.0), (-1, 100))
show(correlation, (3, 8), (0, 0), (2.5, 7.0), (-1, 100))
show(regression, (3, 8), (0, 0), (2.5, 7.0), (-1, 100))
show(proportional, (3, 8), (0, 0), (2.5, 7.0), (-1, 100))
show(predicted, 0, 1, 2.5, -10)
show(standard_pdf, 0, 1, -2.5, 40)
show(standard_cdf, 0, 1, -0.5, 40)
show(pdf, (0, 1, 0.5), (100, 15, 100), (1, 0, 1), (1.5, 2.5, 3), (0, -1, 0))
show(cdf, (0, 1, 0.5), (100, 15, 100), (1, 0, 1), (1.5, 2.5, 3), (0, -1, 0))
show(inverse, 0.5, 0.975, 0.001, 1e-9, 0, 1, 2)
show(zscore, (0, 1, 0.5), (100, 15, 70), (1, 0, 1), (1.5, 2.5, 3))
show(shifted, 0, 2, -1.5)
show(scaled, 0, 2, -1.5)
show(divided, 1, 2, -1.5, 0)
show(summed, (0, 3), (1, 0), (1.5, 2.5), (0, -1))
show(overlap, (0, 2), (1, 1), (0.5, 3), (0, 1), (0, 0))
show(equal, (0, 1), (0.0, 1.0), (-0.0, 1), (1, 1))
show(quantiles, 4, 2, 1, 0)
show(fitted, (1, 2, 3), (5, 5, 5), (0.5, 1, 7))

# Methods themselves, staged.
show(NORMAL.pdf, 100, 85.5, 0)
show(NORMAL.cdf, 100, 85.5, 130)
show(NORMAL.zscore, 100, 85.5, 0)
show(NORMAL.inv_cdf, 0.5, 0.1, 0.99)
show(statistics.linear_regression, ([1, 2, 3], [2, 4, 6]), ([0, 1], [1.5, 1]), ([1, 2], [5, 5]))
show(statistics.covariance, ([1, 2, 3], [2, 4, 6]), ([0, 1], [1.5, 1]), ([1, 2], [5, 5]))
