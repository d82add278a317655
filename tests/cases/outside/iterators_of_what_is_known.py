# An iterator or view from outside goes over what staged code changes.
from collections import deque

from snekpy import stage


def cleared(it):
    L.clear()
    return [q for q in it]


def of_argument(it, items):
    items.clear()
    return [q for q in it]


def appended(it):
    L.append(7)
    return [q for q in it]


def replaced(it):
    L[1] = 9
    return [q for q in it]


def in_loop(it, items, n):
    for i in range(n):
        items.append(i)
    return sum(it), len(items)


def asked_between(it):
    first = next(it)
    L[2] = 11
    return first, next(it, "end")


def numbered(it):
    L[1] = 12
    return [(i, q) for i, q in enumerate(it)]


def paired(it, others):
    L.append(13)
    return [(p, q) for p, q in zip(it, others)]


def of_dict(it):
    D["b"] = 5
    return [q for q in it]


def grown_dict(it):
    D["new"] = 5
    try:
        return [q for q in it]
    except RuntimeError as error:
        return str(error)


def of_view(view):
    D["c"] = 1
    return len(view), [q for q in view]


def of_set(it):
    S.add(100)
    try:
        return sorted(it)
    except RuntimeError as error:
        return str(error)


def of_deque(it):
    Q.append(3)
    try:
        return [q for q in it]
    except RuntimeError as error:
        return str(error)


def of_attribute(it, box):
    box.items.append(4)
    return [q for q in it]


def held(pair):
    L.append(7)
    return [q for q in pair[0]]


def come_back(e):
    """What is counted is plain Python's, behind which compiled code goes on with the iterator."""
    seen = []
    for q in iter(L):
        seen.append(q)
        i = e.count(2.5)
        L.clear()
    return seen, i


class Box:
    def __init__(self, items):
        self.items = items


def forwards(items):
    it = iter(items)
    next(it, None)
    return it


CASES = [
    (cleared, lambda: [forwards(L)]),
    (of_argument, lambda: [forwards(L), L]),
    (appended, lambda: [forwards(L)]),
    (replaced, lambda: [forwards(L)]),
    (replaced, lambda: [reversed(L)]),
    (in_loop, lambda: [iter(N), N, 3]),
    (asked_between, lambda: [forwards(L)]),
    (numbered, lambda: [forwards(L)]),
    (paired, lambda: [forwards(L), [1, 2, 3]]),
    (of_dict, lambda: [iter(D)]),
    (of_dict, lambda: [iter(D.values())]),
    (of_dict, lambda: [iter(D.items())]),
    (grown_dict, lambda: [forwards(D)]),
    (of_view, lambda: [D.keys()]),
    (of_view, lambda: [D.items()]),
    (of_set, lambda: [forwards(S)]),
    (of_deque, lambda: [forwards(Q)]),
    (of_attribute, lambda: [forwards(box.items), box]),
    (held, lambda: [(forwards(L), 1)]),
    (come_back, lambda: [[1, "a"]]),
]

for function, arguments in CASES:
    staged = stage(function)
    shown = []
    for _ in range(3):
        L, N, D = ["a", 1, 5], [1, 2, 3], {"a": 1, "b": 2}
        S, Q, box = {1, 2, 3}, deque([1, 2]), Box([1, 2, 3])
        shown.append(staged(*arguments()))
    print(function.__name__, *shown, L, N, D, sorted(S), list(Q), box.items)
