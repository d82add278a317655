# What can be done with a list whose length is known only later. Strict: all of it is compiled.
from array import array

from support import show


def base(n):
    return [i * i % 7 for i in range(n)]


def total(n):
    items = base(n)
    return sum(items), sum(items, 10), sum(i for i in range(n)), sum(i * 0.5 for i in range(n))


def best(n):
    items = base(n)
    return min(items), max(items), any(items), all(items)


def find(n, x):
    items = base(n)
    return x in items, x not in items, items.count(x)


def where(n, x):
    items = base(n)
    return items.index(x)


def cut(n, a, b):
    items = base(n)
    return items[a:b], items[:a], items[b:], items[::2], items[::-1], items[a:b:2], items[-2:]


def step(n, by):
    items = base(n)
    return items[::by]


def order(n):
    items = base(n)
    ascending = sorted(items)
    items.sort(reverse=True)
    return items, ascending, sorted(items, reverse=True)


def order_floats(a):
    items = [x for x in a]
    items.sort()
    return items


def turned(n):
    items = base(n)
    items.reverse()
    return items, [x for x in reversed(items)]


def joined(n):
    items = base(n)
    more = items + [1, 2]
    more += items
    more.extend(items)
    more.extend(range(n))
    more.extend(more)
    twice = more * 2
    return more, twice, len(twice), items == more, items == base(n), items != more


def listed(n):
    return list(range(n)), list(x + 1 for x in range(n))


def of_array(a):
    return sum(a), max(a), min(a), sorted(a), 2.0 in a, list(a), [x for x in reversed(a)]


def edit(n):
    items = base(n)
    items.insert(2, 100)
    items.insert(-1, 200)
    items.insert(99, 300)
    items[1] = 50
    items[-1] += 1
    del items[0]
    x = items.pop(1)
    y = items.pop()
    if 100 in items:
        items.remove(100)
    return items, x, y


def pairs(n):
    items = base(n)
    total = 0
    for i, (x, y) in enumerate(zip(items, reversed(items))):
        total += i * x - y
    return total, [a * b for a, b in zip(items, range(n))]


def cleared(n):
    items = base(n)
    items.clear()
    return items, len(items), bool(items), not items


def copied(n):
    items = base(n)
    print(items, len(items))
    other = items.copy()
    other.append(7)
    return items, other


def mapped(n):
    items = base(n)
    return list(map(lambda x: x * 2, items)), sum(filter(lambda x: x > 2, items))


def pop_from(items, i):
    grown = [x for x in items]
    return grown.pop(i), grown


def drained(n):
    items = base(n)
    while True:
        items.pop()


for function in (total, listed, order, turned, joined, edit, pairs, cleared, copied, mapped, drained):
    show(function, 5, 0, 9, 1, strict=True)
show(best, 5, 9, 1, 0, strict=True)
show(find, (5, 2), (0, 1), (9, 4), strict=True)
show(where, (5, 2), (0, 1), (9, 4), strict=True)
show(cut, (9, 2, 5), (9, -3, 20), (3, 5, 1), (0, 0, 0), strict=True)
show(step, (9, 2), (9, -2), (9, 0), strict=True)
show(of_array, array("d", [3, 1, 2]), array("d", [1.5]), array("d"), strict=True)
nan = float("nan")
show(order_floats, array("d", [3, nan, 2, -0.0, 0.0, nan, 1]), array("d", [2, 1]), strict=True)
show(pop_from, (array("l", [1, 2, 3]), 0), (array("l", [1, 2, 3]), -2), (array("l", [1]), 3), (array("l"), 0), strict=True)
