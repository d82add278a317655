# Objects of the world that compiled code only hands on: what it does to them is there, and in order.
import collections
import heapq
import io
import re

from snekpy import stage

LOG = io.StringIO()


@stage
def log(n):
    t = 0.0
    for i in range(n):
        t += i * 0.5
        if i % 3 == 0:
            LOG.write("%d %.1f\n" % (i, t))
    return t


print(log(7), log(8), repr(LOG.getvalue()))


class Failing(io.StringIO):
    def write(self, text):
        raise OSError("full")


LOG = Failing()
try:
    log(4)
except OSError as e:
    print("failed", e, e.__traceback__.tb_next.tb_lineno)


@stage
def window(values, size):
    q = collections.deque()
    out = []
    s = 0.0
    for v in values:
        q.append(v)
        s += v
        if len(q) > size:
            s -= q.popleft()
        out.append(s / len(q))
    return out


print(window([1.0, 2.0, 4.0, 8.0, 16.0], 2))
print(window([float(i * i % 7) for i in range(30)], 4)[-3:])

GRAPH = {"a": [("b", 2), ("c", 5)], "b": [("c", 1), ("d", 7)], "c": [("d", 2)], "d": []}


@stage
def shortest(start):
    dist = {start: 0}
    heap = [(0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist.get(u, 1 << 60):
            continue
        for v, w in GRAPH[u]:
            nd = d + w
            if nd < dist.get(v, 1 << 60):
                dist[v] = nd
                heapq.heappush(heap, (nd, v))
    return sorted(dist.items())


for s in "abcdab":
    print(s, shortest(s))
GRAPH["d"].append(("a", 1))
print(shortest("d"))

WORD = re.compile(r"[a-z]+")


@stage
def matches(text):
    n = 0
    for m in WORD.findall(text):
        n += len(m)
    found = WORD.search(text)
    return n, found is None, found.group() if found is not None else "-"


for text in ["ab 12 cd", "34", "x", "yy zz", "", "p9q"]:
    print(matches(text))

CACHE = {}


@stage
def cached(key, n):
    if key in CACHE:
        return CACHE[key]
    t = 0
    for i in range(n):
        t += i
    CACHE[key] = t
    return t


for key, n in [("a", 3), ("b", 4), ("a", 9), ("c", 5), ("d", 6), ("e", 7), ("f", 8), ("a", 1), ("f", 1)]:
    print(cached(key, n), len(CACHE))

SHARED = [[1, 2], [3]]


@stage
def through(n):
    # The same list is known to the code and is in one that it hands on.
    inner = SHARED[0]
    box = []
    for i in range(n):
        box.append(("x", inner))
        inner.append(i)
    name, got = box[0]
    got.append(100)
    return len(inner), inner[-1], len(SHARED[0]), got is inner


print(through(2), SHARED)
print(through(20), SHARED)


class Point:
    def __init__(self, x, name):
        self.x = x
        self.name = name

    def __eq__(self, other):
        print("eq", self.name)
        return self.x == other.x

    def __hash__(self):
        return hash(self.x)


@stage
def points(n):
    out = []
    for i in range(n):
        out.append(("p", Point(i, "n%d" % i)))
    total = 0
    for _, p in out:
        total += p.x
        p.x = total
    return total, out[1][1].x, ("p", Point(0, "z")) in out


print(points(3))
print(points(20)[:2])
