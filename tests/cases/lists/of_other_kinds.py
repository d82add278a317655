# Items of several kinds, and what compiled lists cannot do: the call goes on as plain Python.
from support import show


def mixed(n):
    items = []
    for i in range(n):
        items.append(i if i % 2 else 0.5)
    return items


def texts(n):
    items = []
    for i in range(n):
        items.append(str(i))
    return items


def nested(n):
    rows = []
    for i in range(n):
        row = []
        for j in range(i):
            row.append(i * j)
        rows.append(row)
    return rows


def truths(n):
    items = [True]
    for i in range(n):
        items.append(i > 1)
    items.append(1)
    return items, [type(it).__name__ for it in items]


def keyed(n):
    items = [i * 7 % 5 for i in range(n)]
    return sorted(items, key=lambda x: -x), max(items, key=lambda x: -x, default=None)


def unpacked(n):
    items = [i for i in range(n)]
    first, *rest = items
    return first, rest, (*items, 1), [*items, *items]


def assigned(n):
    items = [i for i in range(n)]
    items[1:2] = [7, 8, 9]
    del items[:1]
    return items, str(items), f"{items}"


def compared(n):
    items = [i for i in range(n)]
    return items < [0, 2], items == (0, 1), [items] == [[0, 1]], {"a": items}["a"] is items


def in_tuple(n):
    items = [i for i in range(n)]
    pair = (items, len(items))
    items.append(1)
    return pair


def nan_is_found(x, n):
    items = [0.5]
    for i in range(n):
        items.append(x)
    return x in items, items.count(x)


for function in (mixed, texts, nested, truths, keyed, unpacked, assigned, compared, in_tuple):
    show(function, 3, 0, 5)
show(nan_is_found, (1.5, 2), (float("nan"), 2), (0.5, 0))
