# `functools.reduce` and `partial`, and the iterators of `itertools`. Strict: all of it is compiled.
import functools
import itertools
from array import array

from support import show


def reduced(x):
    return (
        functools.reduce(lambda a, b: a * b, [x, 2, 3]),
        functools.reduce(lambda a, b: a + b, range(x), 10),
        functools.reduce(max, (x, 3)),
    )


def reduced_nothing(x):
    return functools.reduce(lambda a, b: a + b, range(x))


def power(base, exponent, *, plus=0):
    return base**exponent + plus


def partials(x):
    square = functools.partial(power, exponent=2)
    more = functools.partial(power, exponent=2, plus=x)
    return square(x), more(3), more(3, plus=1), functools.partial(power, x)(3)


def slices(n):
    return (
        list(itertools.islice(range(n), 2)),
        list(itertools.islice(range(10), 1, n, 2)),
        list(itertools.islice((i * i for i in range(n)), 1, None)),
        list(itertools.islice([1, 2, 3], n)),
    )


def shared(n):
    rest = iter([1, 2, 3, 4, n])
    head = list(itertools.islice(rest, 2))
    return head, list(rest)


def chained(x):
    return list(itertools.chain([x], (2, 3), range(x))), sum(itertools.chain(range(x), [1]))


def counted(x):
    total = 0
    for i in itertools.count(x, 2):
        if i > 12:
            break
        total += i
    return total, [a * b for a, b in zip(itertools.count(x), [1, 2, 3])]


def taken(a):
    return (
        list(itertools.takewhile(lambda v: v < 3.0, a)),
        list(itertools.dropwhile(lambda v: v < 3.0, a)),
        list(itertools.filterfalse(lambda v: v < 3.0, a)),
    )


def accumulated(a):
    return (
        list(itertools.accumulate(a)),
        list(itertools.accumulate(a, lambda s, v: s * v)),
        list(itertools.accumulate(a, initial=10.0)),
    )


def pairs(n):
    total = 0
    for a, b in itertools.pairwise(range(n)):
        total += a * b
    return total, list(itertools.starmap(pow, [(n, 2), (2, 3)])), list(itertools.compress([1, n, 3], [0, 1, 1]))


def generators(n):
    def squares():
        for i in range(n):
            yield i * i

    total = 0
    for i, (a, b) in enumerate(zip(squares(), range(3, 100)), 1):
        total += i * (a + b)
    return total, sum(x for _, x in enumerate(squares()))


for function in (reduced, reduced_nothing, partials, slices, shared, chained, counted, pairs, generators):
    show(function, 5, 0, 1, strict=True)
show(taken, array("d", [1, 2, 3, 1]), array("d"), strict=True)
show(accumulated, array("d", [1, 2, 3, 1]), array("d"), strict=True)
