# stdlib: the functions of `heapq` in their Python versions, on heaps of staged numbers.
import sys

sys.modules["_heapq"] = None  # the native versions are not there: `heapq` keeps its own
import heapq

from support import show


def pushed(x):
    heap = [1, 4, 2, 9]
    heapq.heappush(heap, x)
    return heap


def popped(x):
    heap = [1, x, 2]
    heapq.heapify(heap)
    return heapq.heappop(heap), heap


def pushpop(x):
    heap = [2, 5, 3]
    return heapq.heappushpop(heap, x), heap


def replaced(x):
    heap = [2, 5, 3]
    return heapq.heapreplace(heap, x), heap


def emptied(x):
    heap = [x]
    first = heapq.heappop(heap)
    return first, heapq.heappop(heap)


def replace_nothing(x):
    return heapq.heapreplace([], x)


def pushpop_nothing(x):
    heap = []
    return heapq.heappushpop(heap, x), heap


def heapified(a, b, c, d, e):
    heap = [a, b, c, d, e]
    heapq.heapify(heap)
    return heap


def heapsort(a, b, c, d):
    heap = []
    for item in (a, b, c, d):
        heapq.heappush(heap, item)
    return [heapq.heappop(heap) for _ in range(len(heap))]


def merged(a, b):
    return list(heapq.merge([1, a], [2, b], [3]))


def merged_downwards(a, b):
    return list(heapq.merge([a, 1], [b, 0], reverse=True))


def merged_by_key(a, b):
    return list(heapq.merge([1, a], [-2, b], key=abs))


def first_merged(a, b):
    return next(heapq.merge([a], [b]))


def tasks(a, b, c):
    heap = []
    heapq.heappush(heap, (a, "write"))
    heapq.heappush(heap, (b, "test"))
    heapq.heappush(heap, (c, "ship"))
    return [heapq.heappop(heap)[1] for _ in range(3)]


def running_median(a, b, c):
    low, high, seen = [], [], []
    for x in (a, b, c):
        heapq.heappush(high, -heapq.heappushpop(low, -x))
        if len(high) > len(low):
            heapq.heappush(low, -heapq.heappop(high))
        seen.append(-low[0])
    return seen


show(pushed, 0, 3, 1, 9.5, -2, 4, True)
show(popped, 0, 1, 5, 1.5, -3)
show(pushpop, 0, 2, 4, 9.5, -1)
show(replaced, 0, 2, 4, 9.5, -1)
show(emptied, 1, 2.5, -3)
show(replace_nothing, 1, 2.5, -3)
show(pushpop_nothing, 1, 2.5, -3)
show(heapified, (5, 4, 3, 2, 1), (1, 2, 3, 4, 5), (2, 2, 2, 2, 2), (0.5, 1, -1, 3, 0), (9, -9, 9.5, -9.5, 0))
show(heapsort, (4, 3, 2, 1), (1, 2, 3, 4), (0, 0.5, 0, -1), (7, 7, 7, 7))
show(merged, (4, 5), (1, 2), (2.5, 2), (9, 9))
show(merged_downwards, (4, 5), (1, 2), (2.5, 2), (9, 9))
show(merged_by_key, (4, 5), (-1, -2), (2.5, 2), (9, 9))
show(first_merged, (1, 2), (2, 1), (1.0, 1), (-1, 0))
show(tasks, (1, 2, 3), (3, 2, 1), (2, 3.5, 1), (1, 1, 1))
show(running_median, (1, 2, 3), (3, 2, 1), (2, 3.5, 1), (0, 0, -1))

# The functions themselves, staged.
show(heapq.heappush, ([1, 2, 3], 0), ([], 2.5), ([1, 5], 4), ([2, 2], 2))
show(heapq.heappop, ([1, 2, 3],), ([2.5],), ([1, 5, 4, 6],), ([0, 0, -0.0],))
show(heapq.heapify, ([3, 2, 1],), ([],), ([2.5],), ([9, 8, 7, 6, 5, 4, 3],))
show(heapq.heappushpop, ([1, 2, 3], 0), ([], 2), ([1, 2, 3], 9), ([2.5], 2.5))
show(heapq.heapreplace, ([1, 2, 3], 0), ([1], 2), ([1, 2, 3], 9), ([2.5], 2.5))
show(heapq.nsmallest, (1, [1, 5, 3]), (0, [1]), (2, []), (5, [1.5, 2]))
