# Dicts, sets and objects of native code, another one at each call: known by what they are while there are a few, then
# handed on.
from collections import Counter, OrderedDict, defaultdict, deque

from snekpy import stage


@stage
def encode(text, table):
    found = []
    for ch in text:
        found.append(table[ch])
    table["last"] = found[-1] if found else None
    return found


@stage
def count(words, seen, fresh):
    n = 0
    for word in words:
        if word not in seen:
            seen.add(word)
            n += 1
        fresh[word] = fresh.get(word, 0) + n
    return n, len(seen)


@stage
def drain(queue, limit):
    total = 0
    while queue and total < limit:
        total += queue.popleft()
        if total % 5 == 0:
            queue.append(total)
    return total


@stage
def merged(x, names):
    d = {"a": 1, **names}
    if x > 1:
        d["b"] = x
    return {key: value for key, value in d.items()}, "c" in d, len(d)


@stage
def kept(holder, thing):
    holder["thing"] = thing
    return thing is holder["thing"], type(thing).__name__, len(thing)


class Names(dict):
    def __missing__(self, key):
        return key.upper()


for n in range(9):
    table = {ch: ch * (n % 3 + 1) for ch in "abc"}
    print(encode("abcab"[: n % 6], table), table)
for n in range(7):
    table = Names(a=n) if n % 2 else defaultdict(int, a=n)
    print(encode("abca", table), dict(table))
for n in range(8):
    seen, fresh = {"w0"}, (Counter() if n % 2 else {})
    print(count([f"w{k % (n + 1)}" for k in range(12)], seen, fresh), sorted(seen), dict(fresh))
for n in range(8):
    queue = deque(range(n, n + 6), maxlen=None if n % 2 else 7)
    print(drain(queue, 10 + n), queue)
for n in range(8):
    names = {"c": n} if n % 2 else {"b": -n, "e": [n]}
    print(merged(n, names), names)
for n in range(9):
    thing = [[n], {n: n}, {n}, OrderedDict(a=n), (n,), "text", b"bytes", frozenset({n}), deque([n])][n]
    holder = {}
    print(kept(holder, thing), list(holder), list(thing))
for n in range(6):
    holder = {}
    print(kept(holder, range(n)), kept(holder, memoryview(bytes(n))), kept(holder, {}.keys()))
