# What is raised, where, and how far things went; and what goes on as plain Python.
from support import show


def missing_key(n):
    d = {}
    for i in range(n):
        d[i] = i * 2
    return d[n + 5]


def missing_pop(n):
    d = {i: i for i in range(n)}
    d.pop(0)
    return d.pop(0)


def missing_item(n):
    s = {i for i in range(n)}
    s.remove(n)
    return s


def missing_delete(n):
    d = {1: 1, 2: 2}
    del d[n]
    return d


def from_nothing(n):
    d = {}
    del d[n]


def grown_while_iterated(n):
    d = {i: i for i in range(n)}
    total = 0
    for k in d:
        if k == 3:
            d[k + 1000] = 1
        total += k
    return total


def shrunk_while_iterated(n):
    d = {i: i for i in range(n)}
    for k in d:
        if k == 1:
            del d[k]
    return d


def known_while_iterated(n):
    d = {1: 1, 2: 2}
    for k in d:
        d[n] = k
    return d


def set_grown_while_iterated(n):
    s = {i for i in range(n)}
    for x in s:
        if x > 2:
            s.add(x + 100)
    return len(s)


def handled(n):
    d = {}
    hits = 0
    for i in range(n):
        try:
            hits += d[i % 5]
        except KeyError as error:
            d[i % 5] = error.args[0] + 1
            hits -= 1
    return hits, d


def handled_pop(n):
    d = {i: i for i in range(n)}
    found = []
    for i in range(0, n * 2, 3):
        try:
            found.append(d.pop(i))
        except KeyError:
            found.append(-1)
    return found, d


def text_key(n):
    d = {}
    for i in range(n):
        d[i] = i
    d["a"] = 1
    return d


def float_value(n):
    d = {}
    for i in range(n):
        d[i] = i
    d[3] = 2.5
    return d


def equal_key(n):
    d = {}
    for i in range(n):
        d[i] = i
    d[True] = 50
    d[0.0] = 60
    return d, True in d, d.get(False), 2.0 in d


def nan_keys(x, n):
    d = {}
    for i in range(n):
        d[x * i] = i
    return len(d), list(d.values())


def tuple_keys(n):
    d = {}
    for i in range(n):
        d[i, i + 1] = i
    return d


def list_values(n):
    groups = {}
    for i in range(n):
        groups.setdefault(i % 3, []).append(i)
    return groups


def text_values(n):
    d = {}
    for i in range(n):
        d[i] = str(i)
    return d


def large_ints(n):
    d = {}
    for i in range(n):
        d[i] = 2**i
    return d.get(70)


def left_while_iterated(n):
    d = {i: i * i for i in range(n)}
    out = []
    for k, v in d.items():
        if k == 4:
            out.extend(map(repr, sorted({k: v})))
        out.append(k)
    return out


def left_after_changes(n):
    d = {i: i * i for i in range(n)}
    found = []
    for k in d:
        if k == 2:
            d[k + n] = 1
            found.append("".join(["x"] * k))
    return found


def printed(n):
    d = {}
    for i in range(n):
        d[i] = i * i
        print(d, {i})
    return f"{d} {len(d)}"


def none_or_number(n):
    d = {i: i for i in range(n)}
    return d.get(n), d.get(2, "two"), d.pop(1, None), d.pop(n, "none")


show(missing_key, 4)
show(missing_pop, 2)
show(missing_item, 3)
show(missing_delete, 2, 3)
show(from_nothing, 3)
show(grown_while_iterated, 10, 3)
show(shrunk_while_iterated, 1, 4)
show(known_while_iterated, 2, 3)
show(set_grown_while_iterated, 3, 5)
show(handled, 12)
show(handled_pop, 5)
show(text_key, 3)
show(float_value, 4)
show(equal_key, 4)
show(nan_keys, (float("inf"), 4), (2.5, 4))
show(tuple_keys, 3)
show(list_values, 7)
show(text_values, 3)
show(large_ints, 5, 80)
show(left_while_iterated, 7, 3)
show(left_after_changes, 2, 5)
show(printed, 3)
show(none_or_number, 5)
