# What `itertools` gives is of its own class when it leaves staged code; errors come where they should.
import functools
import itertools

from snekpy import stage


def escaping(n):
    return (
        itertools.islice([1, 2, 3, n], 1, None),
        itertools.chain([n], (2,)),
        itertools.count(n, 2),
        itertools.takewhile(lambda v: v < n, [1, 2, 3]),
        itertools.accumulate([n, 2, 3], initial=1),
        itertools.accumulate([n, 2, 3]),
        itertools.starmap(pow, [(n, 2)]),
        itertools.pairwise([1, n, 3]),
        itertools.repeat(n, 2),
        zip(iter([1, n]), (i for i in [5])),
    )


def bound(n):
    return functools.partial(max, n), functools.partial(max, n)(1)


def begun(n):
    it = itertools.chain([n], (2, 3))
    return next(it), it


def negative(n):
    return list(itertools.islice([1, 2], n))


def nothing(n):
    return functools.reduce(max, [], *([n] if n else []))


def not_iterable(n):
    return itertools.accumulate(n)


for n in (2, 3):
    for it in stage(escaping)(n):
        print(type(it).__name__, list(itertools.islice(it, 4)))
    made, value = stage(bound)(n)
    print(type(made).__name__, made.args, made(7), value)
    first, it = stage(begun)(n)
    print(first, type(it).__name__, list(it))
for function in (negative, nothing, not_iterable):
    for n in (1, 0, -1):
        try:
            print(function.__name__, stage(function)(n))
        except (TypeError, ValueError) as error:
            print(function.__name__, type(error).__name__)
