# Native functions that call Python functions, and generators in generators.
import functools, itertools


def key(x):
    return -x


@stage
def f(n, xs):
    a = sum(i * i for i in range(n))
    b = sorted(xs, key=key)
    c = functools.reduce(lambda p, q: p * 2 + q, xs)
    d = [x for x in map(lambda v: v + n, xs) if x % 2]
    e = max(xs, key=lambda v: v % 3)
    g = list(filter(lambda v: v > 1, xs))
    z = 0
    for v in itertools.takewhile(lambda v: v < n, itertools.count()):
        z += v
    h = any(v > 2 for v in xs)
    print(a, b, c, d, e, g, z, h)
    return a


def gen(n):
    for i in range(n):
        print('y', i)
        yield i * 2


@stage
def k(n):
    t = 0
    for v in gen(n):
        for w in gen(2):
            t += v * w
    return t


def main():
    print(f(3, [1, 2, 3]))
    print(k(3))
