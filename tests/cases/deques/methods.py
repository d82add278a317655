# What deques can do: both ends, indices, iteration, builtins over them, copies, errors.
#@ reference snekpy: what errors say of indices
from collections import deque

from support import show


def ends(n):
    q = deque()
    for i in range(n):
        q.append(i)
        q.appendleft(-i)
        if i % 4 == 3:
            q.pop()
            q.popleft()
    return q, q[0], q[-1], len(q)


def indices(n, i):
    q = deque()
    for j in range(n):
        q.append(j * j)
        if j % 3 == 0:
            q.popleft()
    q[i] = 100
    return q[i], q[0], q[-1], q


def all_of(n):
    q = deque()
    for j in range(n):
        q.append(j * 7 % 11)
        if j % 4 == 0:
            q.popleft()
    total = 0
    for x in q:
        total = total * 3 + x
    return total % 1000, sum(q), max(q), min(q), sorted(q), list(q), tuple(q), any(q), all(q), sorted(set(q))


def numbered(n):
    q = deque(range(n))
    if n > 2:
        q.popleft()
    out = []
    for i, x in enumerate(q):
        out.append(i * x)
    for a, b in zip(q, [1, 2, 3]):
        out.append(a - b)
    out.extend(q)
    return out, [x for x in q if x % 2], {x: x + 1 for x in q}


def holds(n, x):
    q = deque()
    for i in range(n):
        q.append(i * 2)
        if i % 2:
            q.popleft()
    return x in q, x not in q, 2.0 * x in q


def extended(n):
    q = deque(range(3))
    more = [i * i for i in range(n)]
    q.extend(more)
    q.extendleft(more)
    q.extend(range(n))
    q.extend((7, 8))
    q += more
    return q


def copies(n):
    q = deque(maxlen=9)
    for i in range(n):
        q.append(i)
    other = q.copy()
    third = deque(q)
    q.append(100)
    other.appendleft(-100)
    third.clear()
    return q, other, third, third.maxlen, q is other, q is q


def cleared(n):
    q = deque()
    for i in range(n):
        q.append(i)
        if i % 5 == 4:
            q.popleft()
            q.clear()
            q.append(-i)
    return q


def rotated(n, by):
    q = deque()
    for i in range(n):
        q.append(i)
    q.rotate(by)
    first = list(q)
    q.rotate()
    return first, q


def others(n):
    q = deque()
    for i in range(n):
        q.append(i % 4)
    q.reverse()
    q.insert(1, 9)
    q.remove(9)
    return q.count(1), q.index(2), q, list(reversed(q)), q == deque([1]), q * 2


def emptied(n):
    q = deque()
    for i in range(n):
        q.append(i)
    while True:
        q.popleft()


def popped(n):
    q = deque(range(n))
    out = []
    for i in range(5):
        try:
            out.append(q.pop() if i % 2 else q.popleft())
        except IndexError as error:
            out.append(str(error))
    return out


def beyond(n, i):
    q = deque()
    for j in range(n):
        q.append(j)
    try:
        return q[i]
    except IndexError as error:
        return str(error), len(q)


def wrong(n, what):
    q = deque()
    for i in range(n):
        q.append(i)
    return q[what]


def truth(n):
    q = deque()
    out = []
    for i in range(n):
        out.append(bool(q))
        out.append(not q)
        if i % 2:
            q.append(i)
        elif q:
            q.popleft()
        out.append(len(q) == 0)
    return out


def known():
    q = deque([1, 2, 3], 3)
    q.append(4)
    q.rotate(1)
    q.extendleft("ab")
    return q, type(q) is deque, isinstance(q, deque), isinstance(q, list), q.maxlen, repr(q), deque("xyz")


def in_place(n):
    q = deque([0] * 5)
    for i in range(n):
        q[i % 5] += i
        q[-1] -= 1
    return q


show(ends, 1, 4, 50)
show(indices, (5, 0), (5, -1), (50, 7), (50, 40), (50, -40), (5, True))
show(all_of, 2, 5, 60)
show(numbered, 0, 3, 20)
show(holds, (0, 1), (10, 6), (10, 16), (10, 5))
show(extended, 0, 1, 12)
show(copies, 0, 3, 30)
show(cleared, 0, 4, 5, 23)
show(rotated, (0, 3), (1, 2), (9, 2), (9, -2), (9, 25), (9, 0), (9, -27))
show(others, 7, 12)
show(emptied, 0, 3, 100)
show(popped, 0, 1, 3, 10)
show(beyond, (0, 0), (3, 2), (3, 3), (3, -3), (3, -4), (100, 64))
show(wrong, (3, 1), (3, 1.5), (3, None), (3, "a"))
show(truth, 0, 6)
show(in_place, 0, 1, 33)


def turned_round(n):
    q = deque()
    for i in range(n):
        q.append(i % 5)
        if i % 3 == 0:
            q.popleft()
    q.reverse()
    return q, q.count(1), q.count(1.0), q.count(9), q.maxlen


show(turned_round, 0, 1, 2, 20)


def empty(n):
    return known(), n


show(empty, 1)


def long_ranges(n):
    q = deque(range(100_000))
    q.extend(range(50_000))
    q.popleft()
    return len(q), q[n], sum(q), q[-1]


show(long_ranges, 5, 100_005)
