# Lists of numbers of several types, or None, that are passed, changed and given back.
import math

from support import show
from snekpy import stage


def total(items):
    result = 0
    for x in items:
        if x is not None:
            result += x
    return result


def fill(items, value):
    for i in range(len(items)):
        if items[i] is None:
            items[i] = value
    return len(items)


def first(items, k):
    return items[k]


def doubled(items):
    return [x * 2 for x in items]


def same(items):
    items.append(items[0])
    return items


def rows_total(rows):
    result = 0
    for row in rows:
        for x in row:
            if x is None:
                row[0] = 99
            else:
                result += x
    return result


def put(items, k, value):
    items[k] = value
    return items[k]


def walk(parents, v):
    steps = []
    while v is not None:
        steps.append(v)
        v = parents[v]
    return steps


def both(a, b):
    a[0] = b[1]
    b[0] = 2.5
    return a is b, a == b


mixed = [1, 2.5, None, True, 4, -0.0] * 5
show(total, mixed, mixed[:3], [1] * 20, [None] * 20, [1.5, 2] * 10, [True, None] * 12, [2**63, 1] * 10)
show(fill, ([None] * 20, 1), ([None, 2.5] * 10, 1), ([None] * 20, 1.5), ([None, 1] * 10, 2**70), ([None] * 3, 1))
show(fill, ([1, None] * 10, "x"), ([1, None] * 10, None), ([1, None] * 10, False))
show(first, (mixed, 0), (mixed, 1), (mixed, 2), (mixed, 3), (mixed, 5), (mixed, 99), (mixed, None))
show(doubled, [1, 2.5] * 10, [True, 2] * 10, [1, None] * 10, [1, 2**63] * 10)
show(same, [1, 2.5] * 10, [None] * 20, [None, 3] * 10)
show(rows_total, [[1, 2.5, None]] * 6, [[1, 2.5, 3] for _ in range(20)], [[None, i] for i in range(20)], [[], [1]] * 10)
show(put, ([1] * 20, 3, None), ([1] * 20, 3, 2.5), ([1.5] * 20, 3, 2), ([1] * 20, 3, "x"), ([1] * 20, 3, True))
show(put, ([1, None] * 10, 3, None), ([1, None] * 10, 3, 2.5), ([1, None] * 10, 3, [1]), ([1, None] * 10, 3, 7))
show(walk, ([None, 0, 0, 1, 1] + [4] * 20, 9), ([None] * 20, 3), ([None, 0.0] * 10, 1))

items = [1, 2.5] * 10
show(both, (items, items), (items, [None, 3] * 10), ([1, 2] * 10, [None, 3] * 10))


nan = math.nan
holds = [1, nan, None] * 8
show(lambda items: nan in items, holds)


def last_of(items):
    best = None
    for x in items:
        if x is not None and (best is None or x > best):
            best = x
    return best


for k in range(1, 25):
    print(stage(last_of)([None, 1, 2.5, k] * k), end=" ")
print()
