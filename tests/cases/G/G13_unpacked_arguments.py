# G13: arguments that are unpacked from lists and dictionaries, and the errors of wrong ones.
from snekpy import stage


def any_way(*args, **kw):
    return args, kw


def two(a, b=1):
    return a, b


def calls(x):
    l, d = [x, 1], {"a": x}
    kept = any_way(*l, **d)
    kept[1]["a"] = 5
    return any_way(*l, *(2,), *"ab", k=x, **d), two(*l), two(**d), two(b=x, **d), kept, d, {**d, "a": 1}


print(stage(calls)(1), stage(calls)(0.5))
for text in (
    "any_way(**{'a': x}, **{'a': 1})",
    "any_way(a=1, **{'a': x})",
    "any_way(**{'a': x, **{'a': 1}})",
    "two(x, a=1)",
    "two(x, **{'a': 1})",
    "two(*[x, 1], b=1)",
    "two(**{'c': x})",
    "two(*[x] * 3)",
    "two()",
    "any_way(**{1: x})",
    "any_way(*x)",
    "any_way(**x)",
    "[*x]",
    "{**[x]}",
):
    function = stage(eval("lambda x: " + text))
    for x in (1, 0.5):
        try:
            print(text, function(x))
        except TypeError:
            print(text, "is a TypeError")
