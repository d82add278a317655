# Lists of empty lists: what is put into them later is guessed, and found out.
from support import show


def reached(n, edges):
    graph = [[] for _ in range(n)]
    for a, b in edges:
        graph[a].append(b)
        graph[b].append(a)
    dist = [-1] * n
    dist[0] = 0
    queue = [0]
    at = 0
    while at < len(queue):
        node = queue[at]
        at += 1
        for other in graph[node]:
            if dist[other] < 0:
                dist[other] = dist[node] + 1
                queue.append(other)
    return dist


def ordered(n, edges):
    graph = [[] for _ in range(n)]
    degree = [0] * n
    for a, b in edges:
        if a < b:
            graph[a].append(b)
            degree[b] += 1
    order = [i for i in range(n) if degree[i] == 0]
    for node in order:
        for other in graph[node]:
            degree[other] -= 1
            if degree[other] == 0:
                order.append(other)
    return order, graph


def bucket_sort(xs, n):
    buckets = [[] for _ in range(n)]
    for x in xs:
        buckets[int(x * n) % n].append(x)
    out = []
    for bucket in buckets:
        bucket.sort()
        out.extend(bucket)
    return out


def radix_sort(xs):
    by = 1
    while by < 10000:
        buckets = [[] for _ in range(10)]
        for x in xs:
            buckets[x // by % 10].append(x)
        xs = [x for bucket in buckets for x in bucket]
        by *= 10
    return xs


def cube(n):
    c = [[[] for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            c[i][j].append(i + j)
    return c


def empty(n):
    return [[] for _ in range(n)]


def floats_later(n):
    rows = [[] for _ in range(n)]
    k = 0
    for i in range(n):
        k += len(rows[i])
    for i in range(n):
        rows[i].append(i / 2)
    return rows, k


def set_whole(n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        rows[i] = [i * 0.5] * i
    return rows


def rows_of_rows(n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        rows[i].append([i] * i)
    return rows


def truths(n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        rows[i].append(i % 2 == 0)
    return rows


# What has no type goes on with objects.
def weighted(n, edges):
    graph = [[] for _ in range(n)]
    for a, b in edges:
        graph[a].append((b, a * 1.5))
    return graph


def texts(n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        rows[i].append(str(i))
    return rows


def mixed(n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        rows[i].append(i)
        rows[i].append(i * 0.5)
    return rows


def two_kinds(n):
    ints = [[] for _ in range(n)]
    floats = [[] for _ in range(n)]
    for i in range(n):
        ints[i].append(i)
        floats[i].append(i * 0.5)
    return ints, floats


def shared_row(n):
    rows = [[]] * n
    rows[0].append(1)
    rows[-1].append(2)
    return rows, rows[0] is rows[1]


def known_rows(n):
    a = [[], []]
    for i in range(n):
        a[i % 2].append(i)
    b = [[], [1.5]]
    for i in range(n):
        b.append([])
    return a, b


def growing(n):
    rows = [[]]
    for i in range(1, n):
        rows.append([1] * i)
    return rows


def pairs(rows):
    s = 0
    for a, b in rows:
        s += a * b
    return s


def pairs_or(rows):
    s = 0
    for row in rows:
        try:
            a, b = row
            s += a * b
        except ValueError as error:
            print(type(error).__name__, len(row))
    return s


EDGES = [((i * 37) % 50, (i * 91 + 7) % 50) for i in range(200)]
show(reached, (50, EDGES), (50, EDGES[:40]), (3, [(0, 2)]))
show(ordered, (50, EDGES), (4, []))
show(bucket_sort, ([(i * 37 % 101) / 101 for i in range(150)], 10), ([], 3))
show(radix_sort, [(i * 7919) % 9973 for i in range(200)], [])
show(cube, 2, 6)
show(empty, 0, 3, 40)
show(floats_later, 3, 40)
show(set_whole, 4, 12)
show(rows_of_rows, 3, 10)
show(truths, 3, 20)
show(weighted, (5, [(1, 2), (4, 0)]))
show(texts, 12)
show(mixed, 12)
show(two_kinds, 12)
show(shared_row, 3, 30)
show(known_rows, 5, 30)
show(growing, 1, 12)
show(pairs, [[1, 2]] * 30, [[1, 2.5]] * 30, [[0.5, 2.0]] * 30, [[1, 2]] * 30 + [[1]], [[1, 2]] * 30 + [[1, 2, 3]], [[]] * 30)
show(pairs_or, [[1, 2]] * 15 + [[1], [3, 4], [], [1, 2, 3]] * 4)
