# Searches by breadth: over grids, lists of neighbours, states that are computed; 0-1 searches with both ends.
from collections import deque

from support import show


def distances(graph, start):
    dist = [-1] * len(graph)
    dist[start] = 0
    queue = deque([start])
    while queue:
        u = queue.popleft()
        for v in graph[u]:
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                queue.append(v)
    return dist


def grid(width, height, wall):
    seen = [False] * (width * height)
    seen[0] = True
    queue = deque([(0, 0, 0)])
    total = 0
    while queue:
        x, y, d = queue.popleft()
        total += d
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            a, b = x + dx, y + dy
            if 0 <= a < width and 0 <= b < height and (a * 7 + b * 3) % wall and not seen[b * width + a]:
                seen[b * width + a] = True
                queue.append((a, b, d + 1))
    return total, len(queue)


def pairs_of(n):
    queue = deque()
    queue.append((1, 0.5))
    out = []
    while len(queue) > 0:
        node, cost = queue.popleft()
        out.append(cost)
        if 2 * node < n:
            queue.append((2 * node, cost * 1.5))
        if 2 * node + 1 < n:
            queue.append((2 * node + 1, cost + 1.0))
    return out


def cheapest(n, goal):
    best = [10**9] * n
    best[1] = 0
    queue = deque([1])
    while queue:
        u = queue.popleft()
        if u == goal:
            break
        for v, cost in ((u * 2 % n, 0), ((u + 1) % n, 1)):
            if best[u] + cost < best[v]:
                best[v] = best[u] + cost
                if cost:
                    queue.append(v)
                else:
                    queue.appendleft(v)
    return best[goal], list(queue)


def with_sets(n, k):
    seen = {1}
    queue = deque([1])
    order = []
    while queue:
        at = queue.popleft()
        order.append(at)
        for step in (at + k, at * 2):
            if step < n and step not in seen:
                seen.add(step)
                queue.append(step)
    return order


def levels(graph, start):
    seen = [False] * len(graph)
    seen[start] = True
    queue = deque([start])
    sizes = []
    while queue:
        sizes.append(len(queue))
        for _ in range(len(queue)):
            u = queue.popleft()
            for v in graph[u]:
                if not seen[v]:
                    seen[v] = True
                    queue.append(v)
    return sizes


def components(graph):
    label = [0] * len(graph)
    count = 0
    for start in range(len(graph)):
        if label[start]:
            continue
        count += 1
        label[start] = count
        queue = deque([start])
        while queue:
            u = queue.popleft()
            for v in graph[u]:
                if not label[v]:
                    label[v] = count
                    queue.append(v)
    return count, label


def topological(graph):
    incoming = [0] * len(graph)
    for row in graph:
        for v in row:
            incoming[v] += 1
    ready = deque(u for u in range(len(graph)) if incoming[u] == 0)
    order = []
    while ready:
        u = ready.popleft()
        order.append(u)
        for v in graph[u]:
            incoming[v] -= 1
            if incoming[v] == 0:
                ready.append(v)
    return order


ring = [[(i * 7 + 1) % 60, (i * 3 + 2) % 60, i] for i in range(60)]
tree = [[2 * i + 1, 2 * i + 2] if 2 * i + 2 < 31 else [] for i in range(31)]
parts = [[(i + 5) % 40, (i + 10) % 40] for i in range(40)]
show(distances, (ring, 0), (tree, 0), (parts, 3), ([[]], 0), ([[1], []], 1))
show(grid, (1, 1, 5), (9, 7, 5), (30, 20, 4), (12, 12, 11))
show(pairs_of, 2, 9, 100)
show(cheapest, (10, 7), (1000, 777), (97, 5))
show(with_sets, (3, 1), (100, 7), (200, 3))
show(levels, (ring, 0), (tree, 0), (parts, 3))
show(components, (ring,), (tree,), (parts,), ([[], [], []],))
show(topological, (tree,), ([[1], [2], [0]],), ([[], [0], [0, 1]],))
