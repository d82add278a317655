# K05: powers of floats, staged and plain, to the last bit.
from snekpy import stage


def powers(x, y, n):
    return x**2, x**3, x**4, x**0.5, x**1.5, x**-1, x**-0.5, x**y, x**n, n**y, n**0.5, n**2.0, 2**y, 2.0**n, pow(x, 2)


def same(a, b):
    return [type(v) for v in a] == [type(v) for v in b] and [repr(v) for v in a] == [repr(v) for v in b]


staged = stage(powers)
seed = 12345
differ = 0
for i in range(2000):
    seed = seed * 6364136223846793005 % 2**64
    x = (seed >> 11) / 2**50 + 0.001
    y = (2.0, 0.5, 3.0, 4.0, x % 7.0)[i % 5]
    n = (2, 3, 4, 5, i % 90)[i % 5]
    differ += not same(powers(x, y, n), staged(x, y, n))
print(differ)


@stage
def root(x):
    return x**0.5


@stage
def power(x, y):
    return x**y


inf = float("inf")
for x in (0.0, -0.0, inf, float("nan"), 4.0, -4.0):
    print(root(x) == x**0.5, repr(root(x)) == repr(x**0.5), repr(power(x, 0.5)) == repr(x**0.5))
    for y in (2.0, 0.5, 3.0):
        print(repr(power(x, y)) == repr(x**y), end=" ")
    print()
