# M09: lists, dictionaries and other containers change between the calls.
import array
import collections
import types

from support import around


def sets(target, name, value):
    return lambda: setattr(target, name, value)


def in_order(*args):
    return args


def by_name(**kw):
    return kw


def first(a, *rest):
    return a, rest


class List(list):
    pass


class Missing(dict):
    def __missing__(self, key):
        return key


l = [3, 1, 2]
t = (l, 3)
around("in a tuple", lambda x: t[0][0] * x, lambda: l.insert(0, 100), 1)
length, item, index, append = l.__len__, l.__getitem__, l.index, l.append
around("bound __len__", lambda x: length() + x, lambda: l.append(1), 1)
around("bound __getitem__", lambda x: item(0) + x, lambda: l.insert(0, 200), 1)
around("bound index", lambda x: index(1) + x, lambda: l.insert(0, 300), 1)
around("sorted", lambda x: sorted(l), lambda: l.insert(0, -100), 1)
around("sum", lambda x: sum(l) + x, lambda: l.insert(0, 100), 1)
around("max", lambda x: max(l) + x, lambda: l.insert(0, 1000), 1)
around("str", lambda x: str(l), lambda: l.clear(), 1)
around("tuple", lambda x: tuple(l), lambda: l.append(5), 1)
around("in", lambda x: 8 in l, lambda: l.append(8), 1)
around("bound append", lambda x: append(x), lambda: l.clear(), 1)
print(l)

names = ["a"]
around("join", lambda x: ",".join(names), lambda: names.append("q"), 1)
around("reversed", lambda x: list(reversed(names)), lambda: names.append("q"), 1)
around("equal", lambda x: names == ["a", "q", "q"], lambda: names.append("q"), 1)
around("less", lambda x: names < ["a", "q", "q"], lambda: names.clear(), 1)
around("copy", lambda x: names.copy(), lambda: names.append("k"), 1)
around("unpacked into a list", lambda x: [*names, x], lambda: names.append("k"), 1)
around("as arguments", lambda x: in_order(*names), lambda: names.append("k"), 1)
around("bound to parameters", lambda x: first(*names), lambda: names.insert(0, "first"), 1)

kw = {"a": 1}
around("as keywords", lambda x: by_name(**kw), lambda: kw.update(b=1), 1)
around("unpacked into a dictionary", lambda x: {**kw}, lambda: kw.update(c=1), 1)
around("union", lambda x: kw | {"z": 0}, lambda: kw.update(d=1), 1)
around("list of keys", lambda x: list(kw), lambda: kw.pop("a"), 1)
around("equal dictionaries", lambda x: kw == {}, lambda: kw.clear(), 1)
around("dict", lambda x: dict(kw), lambda: kw.update(x=1), 1)
around("f-string", lambda x: f"{names} {kw}", lambda: kw.update(y=1), 1)
around("percent", lambda x: "%(x)s" % kw, lambda: kw.update(x=100), 1)
around("format_map", lambda x: "{x}".format_map(kw), lambda: kw.update(x=1000), 1)
around("get", lambda x: kw.get("k", x), lambda: kw.update(k=2), 1)
around("truth", lambda x: x if kw else -x, lambda: kw.clear(), 1)
keys, values, proxy = kw.keys(), kw.values(), types.MappingProxyType(kw)
around("view of keys", lambda x: len(keys) + x, lambda: kw.update(n=7), 1)
around("view of values", lambda x: [v for v in values], lambda: kw.update(n=8, m=9), 1)
around("proxy", lambda x: proxy["n"] + x, lambda: kw.update(n=10), 1)
in_dict = {1: {2: 3}}
around("nested dictionary", lambda x: in_dict[1][2] * x, lambda: in_dict[1].update({2: 9}), 1)

s, fixed = {1, 2}, frozenset((1, 2))
around("length of a set", lambda x: len(s) + x, lambda: s.add(9), 1)
around("sets compared", lambda x: (s >= fixed, s == {1, 2}), lambda: s.remove(1), 1)
b = bytearray(b"ab")
view = memoryview(b)
around("bytearray", lambda x: b[0] + x, lambda: b.__setitem__(0, 0), 1)
around("memoryview", lambda x: view[0] + x, lambda: b.__setitem__(0, 99), 1)
a = array.array("q", [1, 2])
around("slice of an array", lambda x: sum(a[1:]) + x, lambda: a.append(9), 1)
around("tolist", lambda x: (a.itemsize, len(a), a.tolist()), lambda: a.append(9), 1)
deque = collections.deque([1, 2])
around("deque", lambda x: deque[0] + x, lambda: deque.appendleft(50), 1)
around("length of a deque", lambda x: len(deque) + x, lambda: deque.pop(), 1)
around("loop over a deque", lambda x: [v + x for v in deque], lambda: deque.pop(), 1)
counter = collections.Counter("aab")
around("counter", lambda x: counter["a"] + x, lambda: counter.update("aaa"), 1)
ordered = collections.OrderedDict(a=1, b=2)
around("order", lambda x: list(ordered), lambda: ordered.move_to_end("a"), 1)
chain = collections.ChainMap({}, in_dict)
around("chain", lambda x: chain[1][2] + x, lambda: in_dict.__setitem__(1, {2: 1000}), 1)
default = collections.defaultdict(int)
around("default", lambda x: (default[x], len(default)), lambda: default.update({1: 5}), 1)
list_of_ours, dict_of_ours = List([1, 2]), Missing()
around("subclass of list", lambda x: list_of_ours[0] + x + len(list_of_ours), lambda: list_of_ours.insert(0, 70), 1)
around("subclass of dict", lambda x: dict_of_ours["q"], lambda: dict_of_ours.update(q=1), 1)
