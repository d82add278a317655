"""`heapq` on lists of numbers and of tuples of them: heaps of compiled code, with the very order of their items; other items,
and lists of the world, are left to native code."""

import heapq
from heapq import heapify, heappop, heappush, heappushpop, heapreplace

from snekpy import stage


def numbers(count, most=1009):
    return [i * 7919 % most for i in range(count)]


@stage
def ordered(items):
    heap = []
    for item in items:
        heappush(heap, item)
    between = list(heap)
    out = []
    while heap:
        out.append(heappop(heap))
    return between, out


@stage
def made_a_heap(items):
    heap = [2 * item for item in items]
    heapify(heap)
    return heap


@stage
def smallest(items, count):
    heap = []
    for item in items:
        if len(heap) < count:
            heappush(heap, -item)
        else:
            heappushpop(heap, -item)
    return sorted(-item for item in heap), heap


@stage
def replaced(items, more):
    heap = sorted(items)
    gone = [heapreplace(heap, item) for item in more]
    return gone, heap


@stage
def distances(graph, source):
    known = [None] * len(graph)
    heap = [(0, source)]
    while heap:
        distance, node = heappop(heap)
        if known[node] is not None:
            continue
        known[node] = distance
        for other, length in graph[node]:
            if known[other] is None:
                heappush(heap, (distance + length, other))
    return known


@stage
def by_names(pairs):
    heap = []
    for number, name in pairs:
        heappush(heap, (number % 5, name))
    return [heappop(heap) for _ in range(len(heap))]


class Task:
    def __init__(self, rank, name):
        self.rank = rank
        self.name = name

    def __lt__(self, other):
        return self.rank < other.rank

    def __repr__(self):
        return f"Task({self.rank}, {self.name})"


@stage
def tasks(count):
    heap = []
    for i in range(count):
        heappush(heap, Task(i * 7 % 5, i))
    return [heappop(heap) for _ in range(count)]


@stage
def entries(count):
    heap = []
    for i in range(count):
        heappush(heap, (i * 7 % 5, i, Task(1, i)))
    return [heappop(heap)[1] for _ in range(count)]


waiting = [3, 5, 9]


@stage
def in_the_world(items):
    for item in items:
        heappush(waiting, item)
    return heappop(waiting) + heappushpop(waiting, 4)


@stage
def in_the_argument(heap, items):
    heapify(heap)
    for item in items:
        heappush(heap, item)
    return heappop(heap)


@stage
def emptied(items):
    heap = list(items)
    out = []
    try:
        while True:
            out.append(heappop(heap))
    except IndexError as error:
        out.append(str(error))
    try:
        heapreplace(heap, 1)
    except IndexError as error:
        out.append(str(error))
    out.append(heappushpop(heap, 7))
    return out


@stage
def past_64_bits(items):
    heap = []
    for item in items:
        heappush(heap, item)
        if len(heap) > 2:
            heappush(heap, heappop(heap) * heappop(heap))
    return heap


@stage
def of_the_module(items, count):
    heap = list(items)
    heapq.heapify(heap)
    return heapq.nsmallest(count, items), heapq.nlargest(count, items), list(heapq.merge(heap[:1], [5, 6]))


@stage
def wrong(heap):
    heappush(heap, 1)


for items in ([], [5], numbers(9), numbers(60), [float(it) for it in numbers(20)], [0.5, 1, True, -0.0, 0, 2.5, False]):
    print(ordered(items), made_a_heap(items), smallest(items, 4), emptied(items))
print(ordered([(2, 1.5), (1, 9.0), (2, 0.5), (1, 9.0)]), ordered([(1, (2, 3)), (1, (2, 1)), (0, (9, 9))]))
print(ordered([3, float("nan"), 1, 2]), ordered([(1.0, float("nan")), (1.0, 2), (0.5, 1)]))
print(sum(made_a_heap(numbers(3000))[:50]), made_a_heap(numbers(3000)) == made_a_heap(numbers(3000)))
print(replaced([4, 1, 7], [5, 0, 9]), replaced([4, 1, 7], []))
graph = [[((i * 7 + k * 13) % 40, i * k % 17 + 1) for k in range(1, 4)] for i in range(40)]
print(distances(graph, 0), distances([[]], 0))
for _ in range(2):
    print(by_names([(i * 7, "abc"[i % 3] * i) for i in range(8)]), tasks(7), entries(7))
    print(in_the_world([7, 1, 8]), waiting)
    heap = [9, 8, 7, 6]
    print(in_the_argument(heap, [3, 10, 5]), heap)
print(past_64_bits(range(1, 9)), past_64_bits([2**33, 2**34, 2**35, 5, 6, 7, 8, 9]))
print(of_the_module(numbers(30), 3))
for heap in (["a"], [None], (1, 2)):
    try:
        wrong(heap)
    except TypeError as error:
        print("TypeError", "'<' not supported" in str(error), heap)
