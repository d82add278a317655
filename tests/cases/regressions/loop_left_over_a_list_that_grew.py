# A loop over a list of the world that the call has made longer is left for plain Python behind the old end of the list.
from support import show

seen = {1, 2}
items = [1, 2, 14, 1]


def walk(n):
    items.extend([n * 0, 1])
    log = []
    count = 0
    for x in items:
        count += 1
        log.append((x, count))
        seen.discard(x % 5)
    return log


def back(n):
    items.extend([n * 0, 1])
    log = []
    for x in reversed(items):
        log.append(x)
        seen.discard(x % 5)
    return log


def handed_out(n):
    items.append(n)
    it = iter(items)
    for _ in range(len(items) - 1):
        next(it)
    return it


show(walk, 5)
print(items, seen)
show(back, 5)
print(items, seen)
from snekpy import stage

print(list(stage(handed_out)(7)))
