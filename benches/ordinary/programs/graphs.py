from collections import defaultdict, deque
import heapq


def build(n):
    graph = defaultdict(list)
    for i in range(n):
        for k in (1, 3, 7):
            graph[i].append(((i * k + 5) % n, (i * k) % 11 + 1))
    return graph


def bfs(graph, start):
    distance = {start: 0}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other, _ in graph[node]:
            if other not in distance:
                distance[other] = distance[node] + 1
                queue.append(other)
    return distance


def dfs(graph, start):
    seen, order, stack = set(), [], [start]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        order.append(node)
        for other, _ in reversed(graph[node]):
            if other not in seen:
                stack.append(other)
    return order


def topological(edges, n):
    degree = [0] * n
    out = [[] for _ in range(n)]
    for a, b in edges:
        out[a].append(b)
        degree[b] += 1
    ready = deque(i for i in range(n) if degree[i] == 0)
    order = []
    while ready:
        node = ready.popleft()
        order.append(node)
        for other in out[node]:
            degree[other] -= 1
            if degree[other] == 0:
                ready.append(other)
    return order


def floyd(n):
    inf = float("inf")
    dist = [[0 if i == j else inf for j in range(n)] for i in range(n)]
    for i in range(n):
        dist[i][(i + 1) % n] = 3
        dist[i][(i * 5 + 2) % n] = 7
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if dist[i][k] + dist[k][j] < dist[i][j]:
                    dist[i][j] = dist[i][k] + dist[k][j]
    return sum(map(sum, dist))


class UnionFind:
    def __init__(self, n):
        self.parent = list(range(n))
        self.rank = [0] * n

    def find(self, x):
        while self.parent[x] != x:
            self.parent[x] = self.parent[self.parent[x]]
            x = self.parent[x]
        return x

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.rank[a] < self.rank[b]:
            a, b = b, a
        self.parent[b] = a
        if self.rank[a] == self.rank[b]:
            self.rank[a] += 1
        return True


def kruskal(n, edges):
    forest = UnionFind(n)
    total = 0
    for weight, a, b in sorted(edges):
        if forest.union(a, b):
            total += weight
    return total


def grid_path(grid):
    rows, cols = len(grid), len(grid[0])
    queue = deque([(0, 0, 0)])
    seen = {(0, 0)}
    while queue:
        r, c, steps = queue.popleft()
        if (r, c) == (rows - 1, cols - 1):
            return steps
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            nr, nc = r + dr, c + dc
            if 0 <= nr < rows and 0 <= nc < cols and grid[nr][nc] != "#" and (nr, nc) not in seen:
                seen.add((nr, nc))
                queue.append((nr, nc, steps + 1))
    return -1


def prim(graph, start):
    seen = {start}
    heap = [(weight, other) for other, weight in graph[start]]
    heapq.heapify(heap)
    total = 0
    while heap:
        weight, node = heapq.heappop(heap)
        if node in seen:
            continue
        seen.add(node)
        total += weight
        for other, w in graph[node]:
            if other not in seen:
                heapq.heappush(heap, (w, other))
    return total, len(seen)


GRAPH = build(3000)
EDGES = [((i * 7919) % 101, i % 150, (i * 13 + 1) % 150) for i in range(2000)]
DAG = [(i, i + 1 + (i * k) % 9) for i in range(1990) for k in (1, 2, 4)]
GRID = ["".join("#" if (r * 7 + c * 3) % 5 == 0 and (r, c) != (0, 0) else "." for c in range(60)) for r in range(60)]


def bench_bfs():
    return bfs(GRAPH, 0)


def bench_dfs():
    return dfs(GRAPH, 0)


def bench_topo():
    return topological(DAG, 2000)


def bench_floyd():
    return floyd(30)


def bench_kruskal():
    return kruskal(150, EDGES)


def bench_grid():
    return grid_path(GRID)


def bench_prim():
    return prim(GRAPH, 0)
