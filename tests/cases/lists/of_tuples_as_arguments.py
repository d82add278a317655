# Lists of tuples as arguments: of any length, read and changed.
from support import show


def r1(pts):
    t = 0.0
    for x, y in pts: t += x * y
    return t, len(pts)
def r2(pts, n):
    pts.append((n, 0.5)); pts.insert(0, (9, 9.5)); del pts[1:2]; a = pts.pop() if len(pts) > 3 else None
    pts[0] = (pts[0][0] + 1, pts[0][1])
    return a, pts, (n, 0.5) in pts
def r3(pts):
    best = None
    for p in pts:
        if best is None or p[1] < best[1]: best = p
    return best
def r4(pts, q):
    return pts[0] is q, q in pts, pts.index(q) if q in pts else -1, sorted(pts, key=lambda p: -p[0])[:2], min(pts, key=lambda p: p[1])
def r5(edges, n):
    parent = list(range(n))
    def find(u):
        while parent[u] != u:
            parent[u] = parent[parent[u]]
            u = parent[u]
        return u
    total = 0.0
    for w, u, v in sorted(edges):
        a, b = find(u), find(v)
        if a != b:
            parent[a] = b
            total += w
    return total, len(set(find(i) for i in range(n)))
def r6(pts):
    pts.sort(key=lambda p: p[1])
    return [p[0] for p in pts]
def r7(pts):
    print(len(pts))
    return [(b, a) for a, b in pts], pts[-1], pts[1:3], str(pts[0]), max(pts), dict(pts) if len(pts) < 4 else 0


def points(n):
    return [(i * 7 % 5, i * 37 % 11 / 4) for i in range(n)]


LENGTHS = (3, 1, 2, 4, 5, 6, 7, 40, 300, 0, 8)
for function in (r1, r3, r6, r7):
    show(function, *((points(n),) for n in LENGTHS))
show(r2, *((points(n), 3) for n in LENGTHS))
show(r4, *((points(n), points(n)[-1] if n else (1, 2.0)) for n in LENGTHS))
show(r5, *(([(x, i % 20, i * 3 % 20) for i, (_, x) in enumerate(points(n))], 20) for n in LENGTHS))
show(r1, *((other * 50,) for other in ([(1, 2)], [(1, 2.0), (1, 2)], [(1, 2.0, 3)], [[1, 2.0]], [(1.0, 2.0)], [(1, 2.0), 3])))
