# I12: a dictionary of staged values is changed in one arm, and used after it.
from support import show


def set_in_one_arm(x):
    d = {"a": 0, "b": 1}
    if x > 0:
        d["a"] = x
    return d


def created_in_one_arm(x):
    d = {"b": x}
    if x > 0:
        d["a"] = x
    return d["a"], d


def created_in_both(x):
    d = {}
    if x > 0:
        d["a"] = x
        d["b"] = 1
    else:
        d["b"] = -x
        d["a"] = "none"
    return d, list(d), len(d)


def deleted_in_one_arm(x):
    d = {"a": x, "b": 2}
    if x > 0:
        del d["a"]
    if x > 1:
        d["a"] = 0
    return d, d.get("a", "gone"), "a" in d


def another_dictionary(x):
    d = {"a": 1}
    if x > 0:
        d = {"a": x, "c": d}
    d["a"] += 1
    return d


def two_names(x):
    d = {"a": x}
    e = d if x > 0 else {"a": 0}
    e["a"] += 1
    return d, e, d is e


def of_the_caller(d, x):
    if x > 0:
        d["a"] = x
    else:
        d.setdefault("b", x)
    d.update(c=x)
    return sorted(d.items())


def in_a_loop(n):
    d = {}
    for i in range(n):
        if i % 2:
            d["odd"] = d.get("odd", 0) + i
        else:
            d["even"] = i
    return d


show(set_in_one_arm, 3, -3, 0.5)
show(created_in_one_arm, 3, -3)
show(created_in_both, 3, -3, -0.5)
show(deleted_in_one_arm, 1, 2, -3)
show(another_dictionary, 3, -3)
show(two_names, 3, -3)
show(of_the_caller, ({"a": 0}, 1), ({"a": 0}, -1), ({}, 0.5), ({"b": 5}, 0))
show(in_a_loop, 4, 1, 0)
