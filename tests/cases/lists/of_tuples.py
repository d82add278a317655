# Lists of tuples whose length is known only later: a list of the compiled code for each part.
from support import show


def s13(n):
    l = [(i % 5, (i, i * 0.5)) for i in range(n)]
    l.append((9, (1, 2.0))); l.insert(0, (8, (3, 4.0)))
    a = l.pop(); b = l.pop(0)
    if n: l[n // 2] = (7, (7, 7.5)); del l[0]
    return a, b, l, l + l, l * 2, [q for _, (q, w) in l if w > 1], len(l), bool(l), l == l[:], l == l + [(1, (1, 1.0))]


def s14(n, pts):
    for i in range(n):
        pts.append((i, i * 0.5))
    return sum(a * b for a, b in pts)


def s15(n):
    l = []
    for i in range(n):
        l.append((i, 'a') if i % 2 else (i, 'b'))
    return l


def s16(n):
    l = []
    for i in range(n):
        if i == 5: l.append((i, i, i))
        else: l.append((i, i))
    return l


def s17(n):
    l = [(0, 0)] * n
    for i in range(n): l[i] = (i, l[i - 1][1] + i)
    return l, [a for a, b in reversed(l)], [(i, p) for i, p in enumerate(l)], list(zip(l, l[1:]))


def s18(n):
    l = []
    t = (n, 1)
    for i in range(n): l.append(t)
    return [a is b for a, b in zip(l, l)], t is l[0] if n else None, l == [t] * n


def s19(n):
    out = {}
    l = [(i % 3, i) for i in range(n)]
    for k, v in l: out[k] = out.get(k, 0) + v
    return out, dict(l), sorted(set(l))


def s5(n):
    xs = [((i * 7919) % 13, -i * 0.5) for i in range(n)]
    xs.sort(reverse=True)
    return xs, min(xs), max(xs), xs[:3], xs[::-2], (1, -0.5) in xs, xs.count((1, -0.5)), xs.index(xs[2])


for function in (s13, s15, s16, s17, s18, s19, s5):
    show(function, 3, 2, 20, 70, 1, 0)
show(s14, *((n, [(1, 1.0)]) for n in (2, 0, 5)))
