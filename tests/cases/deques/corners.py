# What else is done with deques that a call makes: what has no own code is what plain Python does.
#@ reference snekpy: what errors say
import collections.abc
from collections import deque

from snekpy import stage
from support import outcome, show


def filled(n):
    q = deque()
    for i in range(n):
        q.append(i)
        if i % 3 == 2:
            q.popleft()
    return q


def unpacked(n):
    q = filled(n)
    a, b = q
    return a, b


def starred(n):
    q = filled(n)
    first, *rest = q
    return first, rest, [*q], (*q, 1), {*q} == set(q)


def spread(n):
    q = filled(n)
    return max(*q), deque([*q, *q])


def known_unpacked(n):
    q = deque([1, 2, 3])
    if n:
        a, b, c = q
        return a, b, c
    a, b = q


def matched(n):
    q = filled(n)
    match q:
        case [a, b]:
            return "two", a, b
        case [a, *rest]:
            return "more", a, rest
        case []:
            return "none"
    return "no sequence"


def matched_tuple(n):
    t = tuple([i * i for i in range(n)])
    match t:
        case (a, b):
            return "two", a, b
        case (a, *rest):
            return "more", a, rest
    return "other"


def classes(n):
    q = filled(n)
    match q:
        case list():
            return "a list"
        case deque():
            return "a deque", isinstance(q, (list, deque)), type(q).__name__, q.__class__ is deque


def abstract(n):
    q = filled(n)
    return isinstance(q, collections.abc.Sequence), isinstance(q, collections.abc.Iterable), hasattr(q, "popleft")


def named(n):
    q = filled(n)
    getattr(q, "append")(5)
    return q, callable(q), callable(q.append), q.append == q.append, q.append.__name__


def operators(n):
    q = filled(n)
    r = q + deque([1])
    s = q * 2
    q *= 2
    return q, r, s, q < r, q >= q


def bad(n, what):
    q = filled(n)
    if what == 0:
        return q + [1]
    if what == 1:
        return -q
    if what == 2:
        return q[0:2]
    if what == 3:
        return {q: 1}
    if what == 4:
        return q.append()
    if what == 5:
        return q.pop(1)
    if what == 6:
        return q.nothing
    if what == 7:
        q.maxlen = 3
    if what == 8:
        return deque(5)
    if what == 9:
        return deque([1], 2, 3)
    if what == 10:
        return deque([1], maxlen=-2)
    if what == 11:
        return q.extend(5)
    if what == 12:
        return q.rotate(1.5)
    if what == 13:
        return q < [1]
    if what == 14:
        return hash(q)
    if what == 15:
        return deque([1], maxlen=True)
    if what == 16:
        return deque(iterable=[1, 2], maxlen=1)
    if what == 17:
        return q[10**20]
    if what == 18:
        return q.append(item=1)


def deleted(n):
    q = filled(n)
    del q[0]
    q.insert(1, 7)
    return q, q.index(7)


def into_others(n):
    q = filled(n)
    a = [1]
    a.extend(q)
    a += q
    a[1:2] = q
    s = {1}
    s.update(q)
    return a, sorted(s), dict.fromkeys(q, 0), list(zip(q, q)), list(map(abs, q)), list(reversed(q))


def text(n):
    q = filled(n)
    return f"{q} {len(q)}", str(q), repr(q), "-".join(map(str, q))


def either(n):
    q = deque()
    r = q or deque([9])
    for i in range(n):
        q.append(i)
    s = q and q[0]
    return r, s, q is None, q is not None, None is q


def itself(n):
    q = filled(n)
    q.append(q)
    return len(q), q[-1] is q


def extends_itself(n):
    q = filled(n)
    q.extend(q)
    q.extendleft(q)
    q += q
    return q


def large_limit(n):
    q = deque([], 2**63 - 1)
    for i in range(n):
        q.append(i)
        q.appendleft(i)
    return q, deque([n], maxlen=2**62)


def from_generator(n):
    q = deque(i * i for i in range(n))
    q.extend(i for i in range(n) if i % 2)
    return q


def failing(n):
    q = deque()

    def items():
        for i in range(n):
            yield 10 // (3 - i)

    try:
        q.extend(items())
    except ZeroDivisionError as error:
        return str(error), q
    return q


class Keeper:
    def __init__(self):
        self.queue = None

    def __repr__(self):
        return f"Keeper({self.queue})"


keeper = Keeper()
kept = []
last = None


def stored(n):
    global last
    q = deque()
    keeper.queue = q
    for i in range(n):
        q.append(i)
    last = q
    kept.append(q)
    q.append(-1)
    return q is keeper.queue, q is last


def stored_by(n):
    result = stored(n)
    keeper.queue.append("later")
    return result, last, kept[-1] is last, keeper.queue is last


def given_back(k, n):
    k.queue = deque([n])
    for i in range(n):
        k.queue.append(i)
        if i % 2:
            k.queue.popleft()
    return len(k.queue)


def delayed(n):
    q = filled(n)

    def items():
        while q:
            yield q.popleft()

    return items(), q


def drawn(n):
    it, q = delayed(n)
    return next(it, None), q, list(it), q


def while_closed(n):
    q = deque()

    def push(x):
        q.append(x)
        return len(q)

    total = 0
    for i in range(n):
        total += push(i)
    return total, push(5), q, push


def pushing(n):
    total, count, q, push = while_closed(n)
    push(6)
    return total, count, q


def conditional(n):
    q = filled(n) if n > 3 else [1, 2]
    q.append(3)
    return q


def none_or_deque(n):
    q = None
    for i in range(n):
        if q is None:
            q = deque()
        q.append(i)
        if len(q) > 3:
            q = None
    return q


def sorted_by(n):
    q = deque((i * 7 % 5, i) for i in range(n))
    q.append((0, 0))
    return sorted(q), sorted(q, key=lambda p: -p[1]), max(q, key=lambda p: p[0]), sum(a for a, b in q)


def compared(n):
    q, r = filled(n), filled(n)
    r.append(1.5)
    q.append(1.5)
    nan = float("nan")
    return q == r, q != r, q == q, deque([nan]) == deque([nan]), [q] == [r], (q, 1) == (r, 1), q == tuple(r)


show(unpacked, 2, 3, 4, 9)
show(starred, 1, 4, 9)
show(spread, 4, 9)
show(known_unpacked, 0, 1)
show(matched, 0, 1, 2, 3, 4, 9)
show(matched_tuple, 0, 1, 2, 3)
show(classes, 0, 5)
show(abstract, 0, 5)
show(named, 0, 5)
show(operators, 0, 5)
show(bad, *[(n, what) for n in (0, 5) for what in range(20)])
show(deleted, 2, 9)
show(into_others, 0, 5)
show(text, 0, 5)
show(either, 0, 5)
show(itself, 0, 5)
show(extends_itself, 0, 5)
show(large_limit, 0, 5, 30)
show(from_generator, 0, 5)
show(failing, 0, 3, 5)
show(stored, 0, 5)
outcome("stored_by", stored, lambda: (stored(3), keeper.queue, last is keeper.queue, kept))
stored = stage(stored)
show(stored_by, 0, 5)
show(given_back, (Keeper(), 0), (Keeper(), 1), (Keeper(), 9))
show(drawn, 0, 1, 9)
show(pushing, 0, 9)
show(conditional, 0, 9)
show(none_or_deque, 0, 3, 4, 9, 30)
show(sorted_by, 0, 9)
show(compared, 0, 9)
