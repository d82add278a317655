# A recursive call that is given a deque leaves in the middle: the calls that wait for it go on with the same deque.
from collections import deque

from support import show


def fill(queue, k, at):
    if k <= 0:
        return len(queue)
    queue.append(k)
    if k == at:
        k + (k << 70)
    if len(queue) > 3:
        queue.popleft()
    return fill(queue, k - 1, at) + fill(queue, k - 2, at)


def filled(n, at):
    queue = deque([2])
    return fill(queue, n, at), queue


def two(a, b, k, at):
    if k == 0:
        return a is b
    a.append(k)
    b.appendleft(-k)
    if k == at:
        k + (k << 70)
    return two(b, a, k - 1, at)


def swapped(n, at, same):
    a = deque([0])
    b = a if same else deque([1], 4)
    return two(a, b, n, at), a, b, a is b


def drained(queue, at):
    if not queue:
        return 0
    item = queue.popleft()
    if item == at:
        item + (item << 70)
    rest = drained(queue, at)
    queue.append(item)
    return rest * 3 % 1009 + item


def emptied(n, at):
    queue = deque(range(n))
    return drained(queue, at), queue


for n in 3, 4, 6:
    show(filled, (n, 9), (n, 1), (n, 2), (n, 3))
    show(emptied, (n, 9), (n, 1), (n, 2))
    for same in False, True:
        show(swapped, (n, 9, same), (n, 1, same), (n, 3, same))
