# A range and a deque match the pattern of a sequence, bytes and text do not; a name bound by a pattern stays bound.
from collections import deque

from support import show


def kind(v, i):
    match v:
        case []:
            return "empty"
        case [a]:
            return "one", a
        case [a, *b] if i > 0:
            return "more", a, list(b)
        case {}:
            return "mapping"
        case _:
            return "other"


def staged_range(n, i):
    match range(n):
        case [a, b]:
            return a + b + i
        case [a, *b]:
            return "many", a
        case _:
            return "none"


def bound(v, i):
    match v:
        case [i, *rest] if i > 5:
            return "large"
        case _:
            pass
    return i


values = (range(3), range(0), [1, 2], (1,), "ab", b"ab", deque([1]), {1: 2}, {1}, [], None, 5)
for i in (1, 0):
    show(kind, *[(value, i) for value in values])
show(staged_range, (0, 5), (2, 5), (3, 5))
show(bound, (range(3), False), ([7, 1], 1), ((1, 2), 0.5))
