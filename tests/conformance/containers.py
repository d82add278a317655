# Lists, tuples, dicts, sets: operations, order, slices.
l = [3, 1, 2]
l.append(4); l.insert(0, 9); l.extend((5, 6)); l[1:3] = [7, 8, 8]; del l[0]; l.remove(8)
print(l, sorted(l), sorted(l, reverse=True), l[::2], l[-2:], l.index(4), l.pop(), l * 2, [0] + l, l.count(8))
l[::2] = [0] * len(l[::2]); l.reverse(); l.sort(key=lambda v: -v); print(l)
d = {"b": 1, "a": 2}
d["c"] = 3; d.update(a=5, d=4); d.setdefault("e", []).append(1); del d["b"]
print(d, list(d), d.get("z", 0), d.pop("c"), d | {"q": 1}, {v: k for k, v in {"x": 1}.items()}, list(d.items()))
print(dict(zip("ab", (1, 2))), dict.fromkeys("ab", 0), "a" in d, len(d), list(reversed(d)), {**d, "a": 0})
a, b = {1, 2, 3}, {3, 4}
print(a | b, a & b, a - b, a ^ b, a <= {1, 2, 3, 4}, a.isdisjoint({9}), frozenset(a) == a, sorted(a.union([7])))
t = (1, [2], "x")
t[1].append(3)
print(t, t + (4,), t * 2, t[1:], (1, 2) < (1, 3), [1, 2] == [1, 2.0], () == tuple([]))
first, *middle, last = range(6)
print(first, middle, last, [*middle, *"ab"], {*middle}, (*middle,))
