# D10: `zip` of something known and something whose length is known only later: nothing is drawn twice.
from support import show


def listed(n):
    return list(zip("abc", range(n))), tuple(zip(range(n), "abc")), [*zip("abc", range(n), range(2))]


def looped(n):
    it = iter([5, 6, 7])
    pairs = []
    for a, b in zip(it, range(n)):
        pairs.append((a, b))
    return pairs, list(it)


def range_first(n):
    it = iter([5, 6, 7])
    pairs = list(zip(range(n), it))
    return pairs, list(it)


def the_same_twice(x):
    it = iter([1, x, 3, 4, 5])
    return list(zip(it, it)), list(it)


def unpacked(n):
    a, *b = zip("ab", range(n))
    return a, b


def extended(n):
    l = [0]
    l.extend(zip("ab", range(n)))
    l += zip("ab", range(n))
    l[:0] = zip("ab", range(n))
    return l


def others(n):
    pairs = zip("abc", range(n))
    first = next(pairs, None)
    return first, dict(pairs), list(enumerate(zip("abc", range(n)))), list(zip(*zip("abc", range(n))))


def strict(n):
    return list(zip([1, 2], range(n), strict=True))


show(listed, 0, 1, 2, 9)
show(looped, 0, 1, 2, 9)
show(range_first, 0, 1, 2, 9)
show(the_same_twice, 2, 0.5)
show(unpacked, 1, 2, 9, 0)
show(extended, 1, 0, 9)
show(others, 1, 0, 2, 9)
show(strict, 2)
