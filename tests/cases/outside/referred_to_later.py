# An object that code holds on to, and that gets a weak reference only when the code is there, ends when the program lets go
# of it.
import weakref

from snekpy import stage


class P:
    def __init__(self, a=1):
        self.a = a


class Ref(weakref.ref):
    pass


world, table, items = P(), {"k": P(2)}, [P(3)]
log = []


def read(x):
    return x + world.a


def entry(x):
    return x + table["k"].a + items[0].a


def passed(p, x):
    total = 0
    for i in range(x):
        total += p.a * i
    return total


def kept(p):
    return p


reads, entries, passes, keeps = map(stage, (read, entry, passed, kept))
print(reads(1), reads(2), entries(1), entries(2))
first, second = P(4), P(5)
print(passes(first, 3), passes(first, 9), keeps(second) is second, keeps(second) is second)

refs = [weakref.ref(world), Ref(first), weakref.ref(second, lambda _: log.append("second"))]
values = weakref.WeakValueDictionary({"k": table["k"]})
weakref.finalize(items[0], log.append, "item")
print([ref() is not None for ref in refs], len(values), log)
print(reads(1), entries(2), passes(first, 3), keeps(second) is second)

del world, first, second
print([ref() for ref in refs], log)
table["k"] = P(6)
print(len(values))
items[0] = P(7)
print(log)
world = P(8)
print(reads(1), entries(2), passes(P(9), 4))
