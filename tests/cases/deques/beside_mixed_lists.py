# Deques where lists of ints hold numbers of other types, too: their state is two ints all the same.
from collections import deque

from support import show


def visited(queue, k):
    if k <= 0:
        return len(queue)
    queue.append(k)
    if len(queue) > 3:
        queue.popleft()
    return visited(queue, k - 1) + visited(queue, k - 2)


def recursive(n):
    marks = [0] * 40
    for i in range(n * 3):
        marks[i % 40] = i % 3 == 1 if i % 2 else i
    queue = deque([n])
    return visited(queue, n), list(queue), marks[:6]


def looped(n):
    marks = [0] * n
    queue = deque()
    for i in range(n):
        queue.append(i)
        if i % 3:
            marks[queue.popleft()] = None
        queue.appendleft(-i)
    return queue, marks, len(queue), queue[0], queue[-1]


def iterated(n):
    found = [0] * n
    queue = deque(range(n))
    for i, item in enumerate(queue):
        found[i] = 0.5 if item % 2 else item
    queue.rotate(n // 2)
    return found, queue, [item for item in queue if item > 1]


show(recursive, 1, 4, 7)
show(looped, 1, 4, 9)
show(iterated, 1, 4, 9)
