# An iterator over a dict or set notices keys that came and went, though there are as many as before.
#@ reference snekpy: CPython's iterators only count the keys, RustPython's look at the table
from support import show

known = {"a": 1, "b": 2}


def of_the_world(n):
    for _, value in known.items():
        if "z" not in known:
            known["z"] = n + value
        del known["z"]
    return n


def by_next(n):
    d = {"a": 1, "b": n}
    it = iter(d)
    total = len(next(it))
    d["c"] = n
    d.pop("c")
    for k in it:
        total += d[k]
    return total


def one_leaves(n):
    d = {"a": 1, "b": n}
    for i, k in enumerate(d):
        del d[k]
        d[k] = i + n
    return n


def popped(n):
    d = {"a": 1, "b": n}
    total = 0
    for k in d:
        total += d[k]
        last, _ = d.popitem()
        d[last] = n
    return total


def of_a_set(n):
    s = {1, 2, 3}
    for k in s:
        n += k
        s.discard(2)
        s.add(2)
    return n


def many(n):
    s = {1, 2, 3}
    for k in s:
        n += k
        for i in (2, 1, 2):
            s.discard(i)
            s.add(i)
    return n


def handed_out(n):
    d = {"a": 1, "b": n}
    it = iter(d)
    next(it)
    d["c"] = n
    del d["c"]
    return sum(1 for _ in it) if n == 0 else it


show(of_the_world, 3)
print(known)
for function in (by_next, one_leaves, popped, of_a_set, many):
    show(function, 3)


def last(n):
    return list(stage(handed_out)(n))


from snekpy import stage

for n in (0, 5):
    try:
        print(last(n))
    except RuntimeError as error:
        print(error)
