# A loop over a list of objects: the list grows and shrinks meanwhile, code is left in the middle of it and comes back, the
# same list is gone over by several loops, and an iterator that has come to its end stays there.
from snekpy import reset, shift, stage


class Item:
    def __init__(self, name, weight):
        self.name, self.weight = name, weight


def items(n):
    return [Item(f"i{k}", k) for k in range(n)]


def total(them):
    k = 0
    for it in them:
        k += it.weight
    return k


def grows(them, most):
    k = 0
    for it in them:
        if it.weight % 3 == 0 and len(them) < most:
            them.append(Item("new", it.weight + 1))
        k += it.weight
    return k, len(them)


def shrinks(them):
    seen = []
    for it in them:
        seen.append(it.weight)
        if it.weight % 2:
            them.pop()
            them.pop(0)
    return seen, [it.name for it in them]


def cleared(them, at):
    k = 0
    for it in them:
        k += it.weight
        if it.weight == at:
            them.clear()
            them.append(Item("last", 1000))
    return k, len(them)


def shrinks_and_grows(them):
    seen = []
    for it in them:
        seen.append(it.weight)
        if it.weight == 5:
            del them[2:]
            print("left at", it.name)
            them.extend(items(9))
    return seen


def pairs(them):
    k = 0
    for one in them:
        for other in them:
            if one.weight < other.weight:
                k += one.weight * other.weight
                break
    return k


def tells(them):
    k = 0
    for it in them:
        if it.weight % 4 == 1:
            print(it.name, k)
        k += it.weight
    else:
        print("all")
    return k


def lazily(them):
    return sum(it.weight * 2 for it in them), [it.name for it in them][-2:], {it.name: it.weight for it in them}


def generated(them):
    for it in them:
        yield it.weight
        them.append(it) if it.weight == 2 and len(them) < 8 else None


def drains(them):
    return [k + 1 for k in generated(them)]


def fails(them, at):
    k = 0
    try:
        for it in them:
            k += it.weight
            if it.weight == at:
                raise KeyError(it.name)
    except KeyError as error:
        return k, error.args
    return k


def suspended(them):
    k = 0
    for it in them:
        k += shift(lambda go: go(it.weight) + 1) if it.weight % 3 == 1 else it.weight
    return k


functions = total, grows, shrinks, cleared, shrinks_and_grows, pairs, tells, lazily, drains, fails
rest = {grows: (12,), cleared: (3,), fails: (2,)}
for f in functions:
    staged = stage(f)
    for n in 7, 7, 3, 0, 9, 4, 12:
        them = items(n)
        print(f.__name__, n, staged(them, *rest.get(f, ())), len(them), [it.weight for it in them][:4])
staged = stage(suspended)
for n in 3, 5, 6:
    print(reset(lambda: suspended(items(n))), reset(lambda: staged(items(n))))
