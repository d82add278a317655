"""Methods and operators of containers with arguments that do not fit, and whatever else they take."""
#@ reference snekpy: CPython 3.11 has other words for errors
import copy

from snekpy import stage


def t(function, *args):
    try:
        print(repr(stage(function)(*copy.deepcopy(args)))[:80])
    except Exception as error:
        print(f"{type(error).__name__}: {error}"[:120])


t(lambda d, x: d.pop('c', x), {4}, 1)
t(lambda d, x: d.pop(x), {4}, 1)
t(lambda d, x: d.add(x, x), {4}, 1)
t(lambda d, x: d.add(), {4}, 1)
t(lambda d, x: d.discard(x, 1), {4}, 1)
t(lambda d, x: d.remove(), {4}, 1)
t(lambda d, x: d.clear(x), {4}, 1)
t(lambda d, x: d.copy(x), {4}, 1)
t(lambda d, x: d.update(x), {4}, 1)
t(lambda d, x: d.update(x, 3), {4}, 1)
t(lambda d, x: d.union(x), {4}, 1)
t(lambda d, x: d.issubset(x, x), {4}, 1)
t(lambda d, x: d.issubset(), {4}, 1)
t(lambda d, x: d.get(), {4: 1}, 1)
t(lambda d, x: d.get(x, 1, 2), {4: 1}, 1)
t(lambda d, x: d.pop(), {4: 1}, 1)
t(lambda d, x: d.pop(x, 1, 2), {4: 1}, 1)
t(lambda d, x: d.setdefault(), {4: 1}, 1)
t(lambda d, x: d.setdefault(x, 1, 2), {4: 1}, 1)
t(lambda d, x: d.items(x), {4: 1}, 1)
t(lambda d, x: d.update(x), {4: 1}, 1)
t(lambda d, x: d.update([x]), {4: 1}, 1)
t(lambda d, x: d.popitem(x), {4: 1}, 1)
t(lambda d, x: d.append(x), {4: 1}, 1)
t(lambda d, x: d.append(x, x), [4], 1)
t(lambda d, x: d.append(), [4], 1)
t(lambda d, x: d.pop(x, x), [4], 1)
t(lambda d, x: d.insert(x), [4], 1)
t(lambda d, x: d.extend(x), [4], 1)
t(lambda d, x: d.extend(), [4], 1)
t(lambda d, x: d.index(), [4], 1)
t(lambda d, x: d.index(x, 'a'), [4], 1)
t(lambda d, x: d.count(x, x), [4], 1)
t(lambda d, x: d.remove(x, x), [4], 1)
t(lambda d, x: d.sort(x), [4], 1)
t(lambda d, x: d.sort(foo=x), [4], 1)
t(lambda d, x: d.sort(key=x), [4, 5], 1)
t(lambda d, x: sorted(d, x), [4, 5], 1)
t(lambda d, x: sorted(d, foo=x), [4, 5], 1)
t(lambda d, x: sorted(d, key=x), [4, 5], 1)
t(lambda d, x: d.reverse(x), [4, 5], 1)
t(lambda d, x: d.copy(x), [4, 5], 1)
t(lambda d, x: d.clear(x), [4, 5], 1)
t(lambda d, x: len(d, x), [4, 5], 1)
t(lambda d, x: sum(x), [4, 5], 1)
t(lambda d, x: min(x), [4, 5], 1)
t(lambda d, x: zip(d, x), [4, 5], 1)
t(lambda d, x: map(d, x), [4, 5], 1)
t(lambda d, x: d(x), [4, 5], 1)
t(lambda d, x: d.x, [4, 5], 1)
t(lambda d, x: [*x], [4, 5], 1)
t(lambda d, x: {**x}, [4, 5], 1)
t(lambda d, x: d + x, [4, 5], 1)
t(lambda d, x: d * d, [4, 5], 1)
t(lambda d, x: d[x, x], [4, 5], 1)
t(lambda d, x: d['a'], [4, 5], 1)
for n in (5,):
    L = [1.0] * 50
    P = [(1, 2.0)] * 50
    S = set(range(50)); D = {q: 2.0 for q in range(50)}
    for c in (L, P):
        for f in (lambda d, x: d.append(x, x), lambda d, x: d.append(), lambda d, x: d.pop(x, x), lambda d, x: d.insert(x), lambda d, x: d.extend(x), lambda d, x: d.index(), lambda d, x: d.index(x), lambda d, x: d.count(x, x), lambda d, x: d.remove(x), lambda d, x: d.sort(x), lambda d, x: d.sort(key=x), lambda d, x: sorted(d, key=x), lambda d, x: d.pop('a'), lambda d, x: d['a'], lambda d, x: d[1.5], lambda d, x: d.append('a') or d[-1], lambda d, x: d.append((1, 2.0)) or d[-1], lambda d, x: d.append((1,)) or d[-1], lambda d, x: d + x, lambda d, x: d * 1.5, lambda d, x: d < d, lambda d, x: d == 1, lambda d, x: d == tuple(d), lambda d, x: x in d, lambda d, x: "a" in d, lambda d, x: sum(d), lambda d, x: d[0] + 1, lambda d, x: d.__len__(), lambda d, x: d.__getitem__(x), lambda d, x: d.foo, lambda d, x: str(d)[:9], lambda d, x: f"{d}"[:9], lambda d, x: (d[0],) * x, lambda d, x: max(d), lambda d, x: min(d, default=3), lambda d, x: sorted(d, reverse=True)[0], lambda d, x: list(reversed(d))[0], lambda d, x: tuple(d)[0], lambda d, x: set(d), lambda d, x: dict(d), lambda d, x: all(d), lambda d, x: any(d), lambda d, x: [a for a, b in d][:3], lambda d, x: d.clear(x), lambda d, x: d.copy()[:1], lambda d, x: d.reverse() or d[0], lambda d, x: d[::x][:3], lambda d, x: bool(d), lambda d, x: isinstance(d, list), lambda d, x: type(d).__name__, lambda d, x: id(d[0]) == id(d[0]), lambda d, x: d[0] is d[0], lambda d, x: d.__contains__(d[0]), lambda d, x: [d[0]] == [d[1]], lambda d, x: (d[0], x), lambda d, x: {d[0]: x}, lambda d, x: d.index(d[3]), lambda d, x: d.remove(d[3]) or len(d), lambda d, x: d.extend(d) or len(d), lambda d, x: d.__setitem__(x, d[0]), lambda d, x: "%s" % d[0], lambda d, x: "%s %s" % d[0], lambda d, x: repr(d[0]), lambda d, x: len(d[0]), lambda d, x: d[0][0], lambda d, x: d[0][5], lambda d, x: max(*d[0]), lambda d, x: (lambda a, b: a + b)(*d[0])):
            t(f, c, n)
    for f in (lambda d, x: d.pop('c', x), lambda d, x: d.add(x, x), lambda d, x: d.discard(), lambda d, x: d.remove(x, 1), lambda d, x: d.clear(x), lambda d, x: d.update(x), lambda d, x: d.issubset(x), lambda d, x: d.get(x, 1), lambda d, x: d.pop(), lambda d, x: d.pop(77, x), lambda d, x: d[x], lambda d, x: d.add('a'), lambda d, x: 'a' in d, lambda d, x: d.items(x), lambda d, x: d.setdefault(x, 1, 2), lambda d, x: (1, 2) in d, lambda d, x: d | x, lambda d, x: d == x, lambda d, x: d < x, lambda d, x: d.pop([]), lambda d, x: d.pop('c', x, x)):
        t(f, S, n); t(f, D, n)
t(lambda s, x: s.add(x=1), {1}, 2)
t(lambda s, x: s.update(k=x), {1}, 2)
t(lambda s, x: s.pop(k=x), {1}, 2)
t(lambda s, x: s.update([x], [3]), {1}, 2)
t(lambda d, x: d.pop(k=x), {1:2}, 2)
t(lambda d, x: d.update(k=x), {1:2}, 2)
t(lambda d, x: d.get(k=x), {1:2}, 2)
t(lambda d, x: id(x) == id(x), {1:2}, 2.0)
t(lambda d, x: id((x, 1)) == 3, {1:2}, 2.0)
