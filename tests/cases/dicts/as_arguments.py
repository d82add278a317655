# Dicts and sets that exist outside: arguments, globals, attributes, by other names.
from array import array

from snekpy import stage

from support import outcome, run, show

COUNTS = {}
SEEN = set()


def count(x):
    COUNTS[x] = COUNTS.get(x, 0) + 1
    return len(COUNTS)


def is_new(x):
    if x in SEEN:
        return False
    SEEN.add(x)
    return True


def tally(d, xs):
    for x in xs:
        d[x] = d.get(x, 0) + 1
    return len(d)


def look(d, n):
    total = 0
    for i in range(n):
        total += d.get(i, 0)
    return total


def both(a, b, n):
    for i in range(n):
        a[i] = i
    return len(b), a is b


def extend(s, n):
    for i in range(n):
        s.add(i * 2)
    return len(s)


def give_back(d, n):
    d[n] = n
    return d


def until(d, n):
    for i in range(n):
        d[i] = i * i
        if len(d) > 4:
            raise ValueError(len(d))
    return d[n]


def change_values(d, n):
    for k in d:
        d[k] += n
    return d


class Tracker:
    def __init__(self):
        self.seen = {}

    def add(self, n):
        for i in range(n):
            self.seen[i] = self.seen.get(i, 0.0) + 0.5
        return len(self.seen)


for x in (1, 2, 1, 3, 3):
    outcome("count", count, lambda: stage(count)(x))
show(count, 1, 2, 9, 9, 5, strict=True)
print(COUNTS)
show(is_new, 1, 2, 1, 3, 2, 7, 7, strict=True)
print(sorted(SEEN))
xs = array("q", [1, 2, 3, 1, 2, 9])
d = {}
show(tally, (d, xs), (d, xs), ({}, xs), ({}, xs), ({5: 1}, xs), ({2: 2}, xs), (d, xs), strict=True)
show(tally, ({"a": 1}, xs), ({5: 1.5}, xs), ({}, xs), ({True: 1}, xs), ({1.0: 1}, xs), ({2: 3}, xs))
show(look, ({1: 5, 2: 6}, 3), ({1: 5}, 3), ({}, 4), ({}, 2), strict=True)
same, other = {1: 1}, {2: 2}
both_staged = stage(both)
run(both, both_staged, [(same, other, 3), (same, other, 4), (same, same, 5), (other, other, 6), ({}, {}, 3)])
run(both, both_staged, [(same, other, 2), (COUNTS, same, 3)])
show(extend, ({0}, 3), (set(), 3), (set(), 2), ({0, 2}, 9), strict=True)
r = {}
staged = stage(give_back)
print(staged(r, 1) is r, staged(r, 2) is r, staged(r, 3) is r, r)
show(until, ({}, 3), ({}, 9), ({7: 7, 8: 8}, 4), ({9: 9}, 2))
show(change_values, ({1: 1, 2: 2}, 3), ({4: 4}, 5), ({}, 1), ({3: 3}, 1))
tracker = Tracker()
add = stage(Tracker.add)
print(add(tracker, 3), add(tracker, 2), add(tracker, 4), tracker.seen)
kept = {10**15: 1.5, 2: 2.5}
keys, values = list(kept), list(kept.values())
show(tally, ({}, xs), ({1: 1}, xs), strict=True)


def touch(d, n):
    d[n] = 3.5


touched = stage(touch)
for n in (5, 2, 2, 7):
    touched(kept, n)
print([a is b for a, b in zip(kept, keys)], kept[10**15] is values[0], kept)
