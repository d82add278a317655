# I10: methods of lists and dictionaries change the argument of the caller, at a staged index or key.
from support import show


def insert(items, x):
    items.insert(x, 9)


def pop(items, x):
    return items.pop(x), items.pop()


def remove(items, x):
    items.remove(x)
    items.reverse()


def extend(items, x):
    items += [x]
    items.extend((x, x))
    items *= 2


def sort(items, x):
    items.append(x)
    items.sort(reverse=True)


def update(d, x):
    d.update({x: 1})
    d.setdefault(x + 1, x)
    return d.pop(x), d.popitem()


def pop_key(d, x):
    return d.pop(x), d


show(insert, ([1, 2], 1), ([1, 2], -9), ([], 1))
show(pop, ([1, 2, 3], 1), ([1, 2, 3], -1), ([1, 2], 2), ([1], 0))
show(remove, ([1, 2, 3], 1), ([1, 2, 1], 1), ([2, 1.0], 1))
show(extend, ([1], 2), ([], 0.5))
show(sort, ([1, 4], 7), ([], 0.5), ([1, 4], 2))
show(update, ({}, 1), ({1: 2}, 1), ({"a": 1}, 0.5))
show(pop_key, ({1: 1, 2: 2}, 1), ({1: 1, 2: 2}, 2), ({1: 1}, 3), ({1: 1}, True))
