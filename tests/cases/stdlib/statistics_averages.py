# stdlib: averages and spreads of `statistics`, of staged numbers.
import statistics

from support import show


def fmean(a, b, c):
    return statistics.fmean([a, b, c])


def weighted(a, b, w):
    return statistics.fmean([a, b], weights=[w, 1])


def geometric(a, b):
    return round(statistics.geometric_mean([a, b]), 9)


def harmonic(a, b):
    return statistics.harmonic_mean([a, b])


def median(a, b, c):
    return statistics.median([a, b, c]), statistics.median([a, b])


def median_low_high(a, b):
    return statistics.median_low([a, b, 3, 4]), statistics.median_high([a, b, 3, 4])


def median_grouped(a, b):
    return statistics.median_grouped([a, b, b, 4], interval=2)


def mode(a, b, c):
    return statistics.mode([a, b, c])


def multimode(a, b, c):
    return statistics.multimode([a, b, c])


def spread(a, b, c):
    return statistics.pvariance([a, b, c]), statistics.variance([a, b, c])


def deviations(a, b, c):
    return statistics.pstdev([a, b, c]), statistics.stdev([a, b, c])


def quarters(a, b, c):
    return statistics.quantiles([a, b, c])


def cuts(n):
    return statistics.quantiles([1, 2, 4, 8], n=n, method="inclusive")


def one(x):
    return statistics.stdev([x])


def nothing(x):
    return statistics.mean([x][:0])


def repeated(x, n):
    return statistics.mean([x] * n)


show(fmean, (1, 2, 3), (1, 2, 4), (0.5, 1, 2), (-1, 0, 1))
show(weighted, (1, 2, 3), (1.5, 2, 0.5), (1, 2, 0), (1, 2, -1))
show(geometric, (54, 24), (1, 1), (0.25, 4))
show(harmonic, (40, 60), (1, 0), (2.5, 10), (-1, 1))
show(median, (1, 3, 2), (5, 5, 0), (0.5, 2, -1), (1, 2, 2.5))
show(median_low_high, (1, 2), (5, 6), (0.5, 3.5))
show(median_grouped, (1, 2), (5, 6), (1, 3.5))
show(mode, (1, 2, 2), (1, 2, 3), (1, 1.0, 2), (3, 2.5, 2.5))
show(multimode, (1, 2, 2), (1, 2, 3), (1, 1.0, 2), (3, 2.5, 2.5))
show(spread, (1, 2, 3), (1, 1, 1), (0.5, 1.5, 4), (-3, 0, 3))
show(deviations, (1, 2, 3), (1, 1, 1), (0.5, 1.5, 4), (-3, 0, 3))
show(quarters, (1, 2, 3), (3, 1, 2), (0.5, 1.5, 4))
show(cuts, 4, 2, 1, 10)
show(cuts, 0, -1)
show(one, 1, 2.5, 0)
show(nothing, 1, 2.5, 0)
show(repeated, (1, 3), (2.5, 2), (1, 0), (7, -1))

# The functions themselves, staged.
show(statistics.fmean, ([1, 2, 3],), ([1.5],), ([-1, 0.5],), ([1, 2], [3, 1]))
show(statistics.median, ([1, 2, 3],), ([1.5],), ([4, 1, 3, 2],))
show(statistics.mode, ([1, 2, 2],), ([1.5],), ([4, 1, 3, 2],))
show(statistics.stdev, ([1, 2, 3],), ([1.5, 2.5],), ([4, 1, 3, 2],))
