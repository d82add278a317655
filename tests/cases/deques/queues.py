# Queues that are simulated, and what they hold: ints, floats, truth values, None, several of these, tuples.
from collections import deque

from support import show


def round_robin(times, slice):
    ready = deque((i, t) for i, t in enumerate(times))
    clock = 0
    ends = []
    while ready:
        who, left = ready.popleft()
        if left > slice:
            clock += slice
            ready.append((who, left - slice))
        else:
            clock += left
            ends.append((who, clock))
    return ends


def josephus(n, k):
    circle = deque(range(1, n + 1))
    while len(circle) > 1:
        for _ in range(k - 1):
            circle.append(circle.popleft())
        circle.popleft()
    return circle[0]


def turned(n, k):
    circle = deque(range(n))
    out = []
    while circle:
        circle.rotate(-k)
        out.append(circle.pop())
    return out


def served(n, every):
    waiting = deque()
    clock = 0.0
    longest = 0
    spent = 0.0
    for i in range(n):
        waiting.append(clock)
        clock += 0.25 + (i * 37 % 11) * 0.125
        if i % every == 0:
            spent += clock - waiting.popleft()
        longest = max(longest, len(waiting))
    while waiting:
        spent += clock - waiting.popleft()
    return spent, longest


def long_run(n):
    queue = deque([1, 2, 3])
    total = 0
    for i in range(n):
        x = queue.popleft()
        total = (total * 31 + x) % 1000003
        queue.append(x + i % 5)
    return total, queue


def long_stack(n):
    queue = deque()
    for i in range(n):
        queue.appendleft(i)
        if i % 3 == 2:
            queue.pop()
    total = 0
    while queue:
        total = total * 3 % 10007 + queue.pop()
    return total


def several(n):
    queue = deque()
    for i in range(n):
        if i % 4 == 0:
            queue.append(None)
        elif i % 4 == 1:
            queue.append(i * 0.5)
        else:
            queue.append(i)
    nones = 0
    total = 0
    while queue:
        x = queue.popleft()
        if x is None:
            nones += 1
        else:
            total += x
    return nones, total


def optional(n):
    queue = deque([None])
    out = []
    for i in range(n):
        x = queue.popleft()
        out.append(x)
        queue.append(i if i % 2 else None)
        queue.append(i)
    return out, queue


def flags(n):
    queue = deque()
    for i in range(n):
        queue.append(i % 3 == 0)
        queue.append((i, i % 2 == 0))
        queue.pop()
    return queue, queue.count(True)


def swapped(n):
    queue = deque(((0, (1, 2.0)),))
    for i in range(n):
        a, (b, c) = queue.popleft()
        queue.append((b, (a + i, c * 0.5)))
    return queue


def two(n):
    left, right = deque(), deque()
    for i in range(n):
        (left if i % 2 else right).append(i)
        if len(left) > 3:
            left, right = right, left
    return left, right


show(round_robin, ([5, 3, 8], 2), ([], 3), ([1, 1], 4), (list(range(20)), 3))
show(josephus, (1, 2), (7, 3), (41, 3), (200, 5))
show(turned, (0, 3), (7, 3), (50, 8))
show(served, (0, 2), (50, 1), (100, 3))
show(long_run, 0, 10, 1000, 20000)
show(long_stack, 0, 10, 1000, 20000)
show(several, 0, 4, 101)
show(optional, 0, 1, 50)
show(flags, 0, 2, 20)
show(swapped, 0, 1, 30)
show(two, 0, 5, 40)
