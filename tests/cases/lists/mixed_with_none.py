# Lists that hold None until a number is stored: parents, distances, what is kept; and what None cannot do.
from support import show


def parents(n):
    p = [None] * n
    for i in range(1, n):
        p[i] = (i - 1) // 2
    steps = 0
    for i in range(n):
        j = i
        while p[j] is not None:
            j = p[j]
            steps += 1
    return steps, p[0], p[n - 1], p


def distances(n, s):
    d = [None] * n
    d[s] = 0
    queue = [s]
    while queue:
        u = queue.pop(0)
        for v in (u + 1, u + 3):
            if v < n and d[v] is None:
                d[v] = d[u] + 1
                queue.append(v)
    return d


def dijkstra(n):
    dist = [None] * n
    done = [False] * n
    dist[0] = 0
    while True:
        best = None
        for v in range(n):
            if not done[v] and dist[v] is not None and (best is None or dist[v] < dist[best]):
                best = v
        if best is None:
            return dist
        done[best] = True
        for v, w in ((best + 1, 3), (best * 2, 4), (best + 5, 11)):
            if v < n:
                new = dist[best] + w
                if dist[v] is None or new < dist[v]:
                    dist[v] = new


def floats_then_ints(n):
    best = [None] * n
    best[0] = 0.5
    for i in range(1, n):
        best[i] = best[i - 1] + i * 0.25
    best[n // 2] = 7
    return best, best[n // 2] * 2, best[0] * 2


def add(n, k):
    p = [None] * n
    p[0] = 3
    return p[k] + 1


def less(n, k):
    p = [None] * n
    p[0] = 3
    return p[k] < 1


def index(n, k):
    p, q = [None] * n, [5] * n
    p[0] = 1
    return q[p[k]]


def store_at(n, k):
    p, q = [None] * n, [5] * n
    p[0] = 1
    q[p[k]] = 8
    return q


def delete_at(n, k):
    p, q = [None] * n, [5] * n
    p[0] = 1
    del q[p[k]]
    return len(q)


def late(n, k):
    p = [None] * n
    total = 0
    for i in range(n):
        p[i] = i
        total += p[i]
        if i == k:
            p[i // 2] = None
        total += p[i // 2] + 1
    return total


def caught(n):
    p = [None] * n
    found = []
    for i in range(0, n, 3):
        p[i] = i
    for i in range(n):
        try:
            found.append(p[i] + 1)
        except TypeError:
            found.append(-1)
    return found, p


def truth(n):
    p = [None] * n
    for i in range(0, n, 2):
        p[i] = i - 4
    some = 0
    for x in p:
        if x:
            some += x
        if not x and x is not None:
            some += 1000
    return some, any(p), all(p)


def is_and_equal(n):
    p = [None] * n
    p[1] = 1
    p[2] = 0
    results = 0
    for i in range(n):
        results = results * 7 % 1000003
        results += (p[i] is None) + 2 * (p[i] == 1) + 4 * (p[i] != None) + 8 * (p[i] == p[1])
    return results


def counted(n):
    p = [None] * n
    p[3] = 4
    p[4] = 4
    return p.count(None), p.count(4), p.index(4), None in p, 5 in p, 4 in p, 4.0 in p, True in p


def grown(n):
    out = []
    for i in range(n):
        out.append(None if i % 3 == 0 else i)
    return out, len(out), out[-1], out[-3]


def printed(n):
    p = [None] * n
    p[1] = 2
    print(p[0], p[1], f"{p[0]} {p[1]}", p)
    return str(p[0]) + repr(p[1])


def objects_after_all(n):
    p = [None] * n
    p[1] = [1, 2]
    p[2] = "x"
    return p


def kinds(n, k):
    p = [None] * n
    p[0] = 1
    return isinstance(p[k], int), type(p[k]).__name__, p[k] is None, callable(p[k])


def unpacked(n):
    p = [None] * n
    p[1] = 5
    a, b, c = p[0:3]
    pair = (p[0], p[1])
    x, y = pair
    return a, b, c, pair, x is None, y, (None, 5) == pair, pair in [(None, 5)]


def swapped(n):
    p = [None] * n
    p[0] = 1
    for i in range(n - 1):
        p[i], p[i + 1] = p[i + 1], p[i]
    return p, p.pop(), p.pop(0), len(p)


show(parents, 5, 20, 40, 7)
show(distances, (6, 1), (30, 4), (17, 0))
show(dijkstra, 8, 33)
show(floats_then_ints, 6, 24)
for f in (add, less, index, store_at, delete_at, kinds):
    show(f, (5, 0), (5, 1), (25, 0), (25, 9))
show(late, (12, 99), (12, 6), (30, 29), (5, 0))
show(caught, 7, 30)
show(truth, 9, 21, 4)
show(is_and_equal, 5, 19)
show(counted, 6, 22)
show(grown, 7, 25)
show(printed, 4, 18)
show(objects_after_all, 5, 18)
show(unpacked, 4, 18)
show(swapped, 4, 18)
