# Lists of numbers of many lengths as arguments: one compilation serves them all.
from snekpy import stage

from support import run, show


def total(items):
    result = 0
    for x in items:
        result = result + x
    return result, len(items), sum(items)


def read(items, i):
    return items[i], items[-1]


def double(items):
    for i in range(len(items)):
        items[i] *= 2
    return items


def grow(items, n):
    for i in range(n):
        items.append(i)


def order(items):
    items.sort()
    return items[0], sorted(items, reverse=True)


def both(a, b):
    a[0] = 7
    b.append(1)
    return a is b, a[0] + b[0], len(a)


def kept(items, n):
    copy = items[:]
    copy.append(n)
    return copy, items is copy


def until(items, n):
    for x in items:
        if x == n:
            items.append(x)
            raise ValueError(x)
    return None


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def mean_and_spread(items):
    mean = sum(items) / len(items)
    return mean, sum((x - mean) ** 2 for x in items) / len(items)


def matrix(rows):
    return sum(sum(row) for row in rows)


lengths = [list(range(n)) for n in (3, 1, 4, 2, 0, 5, 9, 40, 300, 7)]
show(total, *[(items,) for items in lengths])
show(read, *[(items, 2) for items in lengths])
show(double, *[(items,) for items in lengths[:8]])
show(grow, *[(items, 2) for items in lengths[:8]])
show(order, *[([5, 3, 9][: n % 3 + 1] * n,) for n in range(1, 9)])
show(kept, *[(items, 1) for items in lengths[:7]])
show(until, *[(items, 4) for items in lengths[:7]])
show(dot, *[([0.5] * n, [2.0] * n) for n in range(1, 9)])
show(mean_and_spread, *[([0.5 * i for i in range(n)],) for n in (1, 2, 3, 4, 5, 6, 50)], ([],))
show(matrix, [[1.0] * 50, [2.0] * 60], [[1.0] * 50, [2.0] * 6, [1.0]])

# The same list twice is one list, also when the lengths are values.
staged = stage(both)
for n in range(1, 9):
    same = [n] * n
    run(both, staged, [([n] * n, [1] * n), (same, same)])

# Other kinds of items, then numbers again.
staged = stage(total)
for items in ([1, 2], [1, 2, 3], [1], [1] * 5, [1] * 6, [1.5] * 7, [1, 2.5], [True] * 8, ["a"], [1] * 9, [2**70], [None]):
    run(total, staged, [(items,)])

# What was not changed is the very same object.
nan = float("nan")
items = [0.5] * 40 + [nan]
stage(grow)(items, 2)
print(items[40] is nan, len(items))

# Few compilations, whatever the lengths.
count = stage(total)
for n in range(1, 60):
    count([1] * n)
stats = getattr(count, "stats", lambda: {"specialisations": ()})
print(len(stats()["specialisations"]) < 8)
