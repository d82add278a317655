# A reversed iterator that has given its last item, and has not been asked for more, leaves staged code as it is.
from support import show


def known(a, b):
    it = reversed([a, b])
    return next(it), next(it), it


def grown(n):
    it = reversed([i for i in range(n)])
    last = -1
    for _ in range(n):
        last = next(it)
    return last, it


def in_a_loop(n):
    found = []
    for x in reversed([n, n + 1]):
        found.append(str(x))
    return found


def shown(result):
    return [(type(part).__name__, list(part)) if hasattr(part, "__next__") else part for part in result]


for function, calls in ((known, ((1, 2), (0.5, 1))), (grown, ((0,), (1,), (3,)))):
    from snekpy import stage

    staged = stage(function)
    for call in calls:
        print(function.__name__, shown(staged(*call)))
show(in_a_loop, 1, 5)
