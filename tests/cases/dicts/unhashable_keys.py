"""What holds numbers that compiled code computes is hashed where it is a key, also where nothing is compared with it."""

#@ reference snekpy: what Python 3.14 says of them
from snekpy import stage


def is_in(e, z, n):
    return 1 if z in e else -1


def counted(e, z, n):
    k = 0
    for i in range(n):
        k += (z in e) + (z not in e) * 2
    return k


def made(e, z, n):
    key = [n, n + 1]
    return key in e, (n, key) in e


def made_set(e, z, n):
    return {n, n + 1} in e


def made_in_place(e, z, n):
    return {n: 1} in {}


def got(e, z, n):
    return e.get(z, n)


def item(e, z, n):
    return e[z]


def stored(e, z, n):
    table = dict.fromkeys(e, n)
    table[z] = n
    return sorted(map(str, table))


def added(e, z, n):
    items = set(e)
    items.add(z)
    return len(items), z in items


def outcome(work, *args):
    try:
        return work(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


CONTAINERS = ({}, {1: 2}, {"a": 1}, {"a": [1]}, set(), {1}, {"x"}, frozenset(), (), [], "ab")
KEYS = (["a", 1], [], {}, {1: 2}, ({},), [1.5, 2], (1, [2]), set(), {1}, (1, {2}), (1, 2), 1.0)
for work in (is_in, counted, made, made_set, made_in_place, got, item, stored, added):
    staged = stage(work)
    for container in CONTAINERS:
        found = [[outcome(staged, container, key, n) for n in range(3)] for key in KEYS]
        print(work.__name__, container, found)
