# I03, I01: a loop over a list that grows meanwhile, and work lists.
from support import show


def grows(x):
    queue = [x]
    for v in queue:
        if v > 0:
            queue.append(v - 1)
    return queue


def from_the_front(n):
    queue, seen = [n], []
    while queue:
        v = queue.pop(0)
        seen.append(v)
        if v > 1:
            queue.extend((v // 2, v - 1))
    return seen


def doubled(n):
    l = [1]
    while len(l) < n:
        l += l
    l.append(0)
    while l[-1] != 1 and len(l) > 1:
        l.pop()
    return len(l)


show(grows, 1, 0, 4, 1.5)
show(from_the_front, 1, 4, 0)
show(doubled, 1, 5, 100)
