# I03: native methods, given staged numbers, change lists and dictionaries made here.
from support import show


def insert(x):
    l = [1, 2]
    l.insert(x, 5)
    return l


def pop(x):
    l = [1, 2, 3]
    return l.pop(x), l


def remove(x):
    l = [1, 2, 0]
    l.remove(x)
    return l


def extend_by_a_generator(x):
    l = [1]
    l.extend(v for v in (x, 2))
    return l


def extend_by_a_map(x):
    l = [1]
    l.extend(map(abs, (x, 2)))
    return l


def extend_by_a_range(n):
    l = [1]
    l.extend(range(n))
    return l


def sort_known(x):
    l = [("b", x), ("a", 1)]
    l.sort(key=lambda pair: pair[0])
    return l


def update(x):
    d = {1: 2}
    d.update({"x": x})
    return d


def update_by_keyword(x):
    d = {1: 2}
    d.update(x=x)
    return d


def update_in_place(x):
    d = {"x": 2}
    d |= {"x": x}
    return d


show(insert, 1, 2, 0)
show(pop, 1, 2, 0)
show(remove, 1, 2, 0)
show(extend_by_a_generator, 1, 0.5)
show(extend_by_a_map, 1, -1)
show(extend_by_a_range, 2, 0)
show(sort_known, 1, 0.5)
show(update, 1, 0.5)
show(update_by_keyword, 1, 0.5)
show(update_in_place, 1, 0.5)
