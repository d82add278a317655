# `del d[key]` raises where there is no such key, whatever reading it would make; and what a builtin raises for these very
# numbers is asked of them.
from collections import Counter, OrderedDict, defaultdict

from snekpy import stage


class Missing(dict):
    def __missing__(self, key):
        return 0


@stage
def deleted(d, k):
    del d[k]
    return len(d)


@stage
def several(d, keys):
    seen = []
    for k in keys:
        try:
            del d[k]
            seen.append("deleted")
        except KeyError as e:
            seen.append(e.args)
    return seen


@stage
def made(k):
    d = defaultdict(int)
    d["x"] += 1
    del d[k]
    return d


KINDS = [lambda: defaultdict(int, {1: 2, "a": 3}), lambda: defaultdict(None, {1: 2}), lambda: Counter("a"),
         lambda: OrderedDict(a=1), lambda: Missing({1: 2}), lambda: {1: 2, "a": 1}, lambda: defaultdict(list, {1: []})]
for _ in range(2):
    for kind in KINDS:
        for key in ("zz", "a", 1):
            d = kind()
            try:
                print(type(d).__name__, deleted(d, key), dict(d))
            except KeyError as e:
                print(type(d).__name__, "KeyError", e, dict(d))
        print(several(kind(), [1, "a", 1, 5]))
    for key in ("zz", "x"):
        try:
            print(made(key))
        except KeyError as e:
            print("KeyError", e)


@stage
def with_base(v, b):
    try:
        return int(v, b)
    except (TypeError, ValueError) as e:
        return type(e).__name__, str(e)


for v, b in ((7, 10), ("7", 10), (7, 1), ("z", 36), (2.5, 10)):
    print(with_base(v, b))
