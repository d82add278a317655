# Sums have one order, whatever the number of threads; ints are exact.
from array import array

from snekpy import parallel_sum


def cube(i):
    return (i - 5) ** 3


def big(i):
    return 9_000_000_000_000_000_000


def harmonic(i):
    return 1 / (i + 1)


def is_odd(i):
    return i % 2 == 1


def product(i, xs, ys):
    return xs[i] * ys[i]


XS = array("d", [0.1 * i for i in range(300)])
for target in ("cpu", "simt"):
    print(parallel_sum(cube, 1000, target=target))
    print(parallel_sum(big, 100, target=target))
    for n in (0, 1, 255, 256, 257, 4096, 4097, 10000):
        print(n, parallel_sum(harmonic, n, target=target) if n else 0.0)
    print(parallel_sum(is_odd, 1001, target=target))
    print(parallel_sum(product, 300, XS, XS, target=target))
