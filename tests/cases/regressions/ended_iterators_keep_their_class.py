# An iterator that was run to its end in staged code leaves it as what it was.
from array import array

from snekpy import stage


def ended(items, n, numbers):
    found = (
        reversed(items),
        iter(items),
        iter((1, n)),
        iter("ab"),
        zip(items, items),
        enumerate(items),
        iter({1: n}),
        iter({1: n}.items()),
        iter({1, 2}),
        iter(range(n)),
        iter(range(3)),
        iter(numbers),
    )
    for it in found:
        for _ in it:
            pass
    return found


for it in stage(ended)([1, 2], 3, array("d", [0.5])):
    print(type(it).__name__.replace("_ascii", ""), list(it), next(it, "nothing"))
