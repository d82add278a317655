# I21: builtins refuse arguments that they do not take.
from snekpy import stage

for text in (
    "str(x, foo=1)",
    "list([x], foo=1)",
    "tuple([x], foo=1)",
    "type(x, foo=1)",
    "isinstance(x, int, foo=1)",
    "isinstance(x)",
    "isinstance(x, 5)",
    "bool(x, foo=1)",
    "len([x], foo=1)",
    "len(x)",
    "next(iter([x]), 1, 2)",
    "enumerate([x], 1, 2)",
    "enumerate([x], start=1, foo=2)",
    "zip([x], foo=1)",
    "reversed([x], foo=1)",
    "iter([x], foo=1)",
    "iter(x)",
    "repr(x, foo=1)",
    "format(x, foo=1)",
    "abs(x, foo=1)",
    "abs()",
    "sum([x], 2, start=2)",
    "sum(x)",
    "any([x], [1])",
    "all(x)",
    "max(x)",
    "max(x, 1, default=3)",
    "round(x, 'a')",
    "divmod(x)",
    "range(x, foo=1)",
    "range()",
    "sorted([x, 'a'])",
    "int(x, 10)",
    "print(x, foo=1)",
    "list(enumerate([x], start=x))[0][0] + 'a'",
):
    function = stage(eval("lambda x: " + text))
    for x in (1, 1, 0.5):
        try:
            print(text, function(x))
        except TypeError:
            print(text, "is a TypeError")
