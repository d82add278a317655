# H06: what builtins leave in an iterator, and that an iterator that has ended stays ended.
from support import show


def any_and_all(x):
    it, other = iter([0, x, 3, 4]), iter([x, 0, 3])
    return any(it), list(it), all(other), list(other)


def looked_for(x):
    it, other = iter([1, x, 3]), iter("abc")
    return x in it, list(it), "b" in other, list(other)


def drained(x):
    it, other, third = iter([1, x, 3]), iter([1, x]), iter([x, 2])
    return max(it), list(it), sum(other), list(other), sorted(third), list(third)


def unpacked(x):
    it = iter([1, x, 3, 4])
    a, b = next(it), next(it, None)
    c, *d = it
    return a, b, c, d, list(it), next(it, "end")


def ended(x):
    l = [x]
    it = iter(l)
    for v in it:
        pass
    l.append(3)
    return v, list(it), l


def not_ended(x):
    l = [x]
    it = iter(l)
    first = next(it)
    l.append(3)
    return first, list(it)


def nested(n):
    it = iter(range(n))
    pairs = []
    for a in it:
        for b in it:
            pairs.append((a, b))
            if b > 1:
                break
    return pairs, list(it)


show(any_and_all, 1, 0, 0.5)
show(looked_for, 1, 3, 0.5)
show(drained, 1, 0.5, -1)
show(unpacked, 2, 0.5)
show(ended, 1, 0.5)
show(not_ended, 1, 0.5)
show(nested, 0, 1, 5, 9)
