# `next` of an `itertools.count` of the world: carried out by the VM where it adds numbers, else left to plain Python.
import itertools

from support import show

ids = itertools.count(5)
halves = itertools.count(0.5, 0.25)
log = []


class Step:
    def __init__(self, by):
        self.by = by

    def __index__(self):
        return self.by

    def __radd__(self, other):
        log.append(other)
        return other + self.by


odd = itertools.count(1, Step(2))


def numbered(x):
    first = next(ids)
    if x > 0:
        return first, next(ids) + x, next(halves)
    return first, x


def in_a_loop(n):
    found = []
    for i in range(n):
        found.append(next(ids) * 2 + i)
    return found, sum(found)


def before_an_error(x):
    first = next(ids)
    return first // x


def by_the_program(x):
    return next(odd) + x, next(odd), len(log)


show(numbered, 1, 0, 0.5, True, strict="leave")
show(in_a_loop, 3, 0, 5, strict="leave")
show(before_an_error, 2, 0, 0.5, 0.0)
show(by_the_program, 1, 0.5, 3)
print(next(ids), next(halves), next(odd), log)
