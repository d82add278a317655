from collections import deque


class Graph:
    def __init__(self):
        self.adj = {}

    def add(self, u, v, w=1):
        self.adj.setdefault(u, []).append((v, w))
        self.adj.setdefault(v, []).append((u, w))

    def bfs(self, s):
        dist = {s: 0}
        q = deque([s])
        while q:
            u = q.popleft()
            for v, _ in self.adj[u]:
                if v not in dist:
                    dist[v] = dist[u] + 1
                    q.append(v)
        return dist

    def dfs(self, s, seen=None):
        if seen is None:
            seen = set()
        seen.add(s)
        for v, _ in self.adj[s]:
            if v not in seen:
                self.dfs(v, seen)
        return seen

    def edges(self):
        for u in self.adj:
            for v, w in self.adj[u]:
                if u < v:
                    yield w, u, v


class DSU:
    def __init__(self, n):
        self.p = list(range(n))
        self.size = [1] * n

    def find(self, x):
        while self.p[x] != x:
            self.p[x] = self.p[self.p[x]]
            x = self.p[x]
        return x

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.p[b] = a
        self.size[a] += self.size[b]
        return True


def kruskal(g, n):
    d = DSU(n)
    total, used = 0, []
    for w, u, v in sorted(g.edges()):
        if d.union(u, v):
            total += w
            used.append((u, v))
    return total, len(used)


def floyd(w):
    n = len(w)
    d = [row[:] for row in w]
    for k in range(n):
        for i in range(n):
            dik = d[i][k]
            for j in range(n):
                if dik + d[k][j] < d[i][j]:
                    d[i][j] = dik + d[k][j]
    return d


def topo(deps):
    indeg = {n: 0 for n in deps}
    for n in deps:
        for m in deps[n]:
            indeg[m] += 1
    ready = [n for n in indeg if indeg[n] == 0]
    out = []
    while ready:
        n = ready.pop()
        out.append(n)
        for m in deps[n]:
            indeg[m] -= 1
            if indeg[m] == 0:
                ready.append(m)
    return out


def bellman(edges, n, s):
    d = [float("inf")] * n
    d[s] = 0
    for _ in range(n - 1):
        changed = False
        for u, v, w in edges:
            if d[u] + w < d[v]:
                d[v] = d[u] + w
                changed = True
        if not changed:
            break
    return d


def pagerank(links, rounds=15, d=0.85):
    n = len(links)
    rank = {k: 1 / n for k in links}
    for _ in range(rounds):
        new = {k: (1 - d) / n for k in links}
        for k, outs in links.items():
            for o in outs:
                new[o] += d * rank[k] / len(outs)
        rank = new
    return rank


def astar(grid, start, goal):
    import heapq

    h = lambda p: abs(p[0] - goal[0]) + abs(p[1] - goal[1])
    best = {start: 0}
    q = [(h(start), start)]
    while q:
        f, (r, c) = heapq.heappop(q)
        if (r, c) == goal:
            return best[goal]
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            p = r + dr, c + dc
            if 0 <= p[0] < len(grid) and 0 <= p[1] < len(grid[0]) and grid[p[0]][p[1]] != "#":
                g = best[(r, c)] + 1
                if g < best.get(p, 10**9):
                    best[p] = g
                    heapq.heappush(q, (g + h(p), p))
    return None


def make(n):
    g = Graph()
    x = 5
    for u in range(n):
        for _ in range(3):
            x = (x * 48271) % 2147483647
            g.add(u, x % n, x % 100)
    return g


G = make(150)
W = [[(i * 7 + j * 13) % 50 + 1 for j in range(25)] for i in range(25)]
D = {i: [j for j in range(i + 1, 120) if (i * j) % 7 == 3] for i in range(120)}
ED = [(u, v, (u * v) % 17 + 1) for u in range(40) for v in range(40) if (u * 3 + v) % 5 == 0]
L = {i: [(i * 3 + 1) % 50, (i * 7 + 2) % 50, (i + 1) % 50] for i in range(50)}
GRID = ["." * 20] * 3 + ["." + "#" * 18 + "."] + ["." * 20] * 3 + ["#" * 15 + "....."] + ["." * 20] * 4


def bench_bfs():
    return sum(G.bfs(0).values())


def bench_dfs():
    return len(G.dfs(0))


def bench_kruskal():
    return kruskal(G, 150)


def bench_floyd():
    return sum(map(sum, floyd(W)))


def bench_topo():
    return topo(D)[:5]


def bench_bellman():
    return bellman(ED, 40, 0)


def bench_pagerank():
    return sorted(pagerank(L).values())[-1]


def bench_astar():
    return astar(GRID, (0, 0), (11, 19))
