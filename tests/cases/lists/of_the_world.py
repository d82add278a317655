# Lists that exist outside and grow inside: as arguments, globals, attributes, by other names.
from snekpy import stage

from support import run, show

log = [1, 2]


def push(n):
    for i in range(n):
        log.append(i)
    return len(log)


def grow(items, n):
    for i in range(n):
        items.append(items[i] + 1)
    return sum(items)


class Tracker:
    def __init__(self):
        self.seen = []

    def add(self, n):
        for i in range(n):
            self.seen.append(i * 0.5)
        return len(self.seen)


def both(a, b, n):
    for i in range(n):
        a.append(i)
        b.append(i * 2)
    return a is b, len(a)


def until(items, n):
    for i in range(n):
        items.append(i)
        if len(items) > 4:
            raise ValueError(items)


show(push, 3, 2, 0)
print(log)
log.clear()
show(push, 2)
print(log)
show(grow, ([5, 6], 4), ([1, 2], 0))
tracker = Tracker()
show(Tracker.add, *[])
add = stage(Tracker.add)
print(add(tracker, 3), add(tracker, 2), tracker.seen)
show(both, ([1], [2], 3))
same = [0]
run(both, stage(both), [(same, same, 2)])
show(until, ([], 3), ([], 9), ([1, 2, 3], 4))
kept = [1.5, float("nan")]
inside = kept[1]
show(lambda items, n: [items.append(0.5) for _ in range(n)][:0], (kept, 3))
print(kept[1] is inside, kept)
