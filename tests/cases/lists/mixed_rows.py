# Rows of numbers of several types, or None: tables of dynamic programming, matrices with infinity, memo tables.
import math

from support import show


def floyd_warshall(n):
    d = [[math.inf] * n for _ in range(n)]
    for i in range(n):
        d[i][i] = 0
        d[i][(i + 1) % n] = i % 4 + 1
        d[i][(i * 3) % n] = 2.5
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d


def product(n):
    a = [[i + j for j in range(n)] for i in range(n)]
    v = [0.5] * n
    return [sum(a[i][j] * v[j] for j in range(n)) for i in range(n)], [sum(row) for row in a]


def table(n):
    t = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i == 0 or j == 0:
                t[i][j] = 1
            elif (i + j) % 4:
                above, left = t[i - 1][j], t[i][j - 1]
                if above is not None and left is not None:
                    t[i][j] = (above + left) % 1009
    return t


def row_of_none(n):
    t = [[0] * n for _ in range(3)]
    t[1][2] = None
    t[2][0] = 1.5
    row = t[1]
    row[0] = 2
    return t, row, t[1] is row


def rows_appended(n):
    out = []
    for i in range(n):
        out.append([i, i / 2])
    out[0][0] = None
    return out, out[1], out[-1][1]


def graph(n):
    g = [[] for _ in range(n)]
    for i in range(n):
        g[i].append(i)
        g[i // 2].append(i * 0.5)
        if i % 5 == 0:
            g[i].append(None)
    return g


def pairs(n):
    heap = [(0, 0)]
    for i in range(n):
        heap.append((i * 0.5, i) if i % 2 else (i, i + 1))
    total = 0
    for d, i in heap:
        total += d * 2 + i
    return total, heap


def levels(n):
    best = [[math.inf] * 3 for _ in range(n)]
    best[0][0] = 0
    for i in range(n - 1):
        for k in range(3):
            if best[i][k] < math.inf:
                for step in (0, 1):
                    if k + step < 3 and best[i][k] + i + step < best[i + 1][k + step]:
                        best[i + 1][k + step] = best[i][k] + i + step
    return best[n - 1], best


show(floyd_warshall, 4, 18)
show(product, 4, 18)
show(table, 4, 18)
show(row_of_none, 4, 18)
show(rows_appended, 4, 18)
show(graph, 4, 18)
show(pairs, 4, 18)
show(levels, 4, 20)
