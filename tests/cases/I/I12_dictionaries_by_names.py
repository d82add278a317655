# I12: `dict` and `update` with names, mappings that are matched, and what is equal to a container of another class.
from support import show


def by_names(x):
    d = dict(a=x, b=2)
    d.update(c=x, a=3)
    e = dict(d, a=x, z=1)
    e.update({"q": x}, a=0)
    return d, e, list(e), len(dict()), d is e


def of_the_caller(d, x):
    d.update(b=x)
    return dict(d, a=x)


def matched(x):
    match {"a": x, "b": [x, 1]}:
        case {"a": 1, "b": [p, q]}:
            return p, q
        case {"z": _}:
            return "z"
        case {"a": v, **rest} if v > 2:
            return v, rest
    return "none"


class Keys:
    first = "a"
    second = "a"


def matched_twice(x):
    match {"a": x, "b": 1}:
        case {Keys.first: v, Keys.second: w}:
            return v, w
    return "none"


def compared(x):
    found = [x] == 1, [x] != 1, [x] == (x,), (x,) == "a", {"a": x} == None, x == [x], "a" == [x], {} == [x]
    return found, [[x], x] == [x, [x]], x in ([x], "a"), (x, 1) != [x, 1]


show(by_names, 1, 0.5, True, strict=True)
show(of_the_caller, ({}, 1), ({"b": 0, "a": 1}, 2), ({"c": 1}, 0.5), strict="leave")
show(matched, 1, 3, 0, 2.5, strict=True)
show(matched_twice, 1, 0.5)
show(compared, 1, 0.5, True, strict="leave")
