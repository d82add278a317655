# What a call has made is there when it leaves in the middle: of loops, of functions that call themselves, by exceptions.
from snekpy import stage


class N:
    def __init__(self, v, nxt):
        self.v = v; self.nxt = nxt
def deep(n, k):
    if n == 0:
        return None
    p = N(k, None)
    p.nxt = deep(n - 1, k + 1)
    return p
def length(p):
    if p is None: return 0
    return 1 + length(p.nxt)
@stage
def run(n):
    return length(deep(n, 0))
print(run(10), run(500))
try:
    print(run(100000))
except RecursionError as e:
    print(type(e).__name__)
@stage
def keep(n, kept):
    p = N(-1, None)
    for i in range(300):
        p = N(i, p)
    kept.append(p)
    try:
        q = deep(n, 0)
    except RecursionError as e:
        return "too deep", p, kept[0] is p
    return length(q), p, kept[0] is p
def show(p):
    out = []
    while p: out.append(p.v); p = p.nxt
    return out
for n in (5, 100000):
    a, p, same = keep(n, [])
    print(a, show(p)[:5], same)
def fails(p, n):
    if n == 0:
        p.v = 10**30
        return p.v
    p.v += 1
    q = N(p.v, p)
    r = fails(q, n - 1)
    return r + q.v - p.v
@stage
def over(n):
    p = None
    for i in range(n):
        p = N(i, p)
    return fails(p, n), show(p), p
r = over(4)
print(r[0], r[1])
def count(p, n, zero):
    if n == 0:
        return 1 // zero
    q = N(n, p)
    p.v += 1
    try:
        return count(q, n - 1, zero) + 1
    finally:
        q.v *= 2
        seen.append(q)
seen = []
@stage
def unwinds(n, zero):
    p = N(0, None)
    for i in range(2):
        p = N(i, p)
    try:
        return count(p, n, zero), p
    except ZeroDivisionError as e:
        return type(e).__name__, p
for z in (1, 0):
    seen.clear()
    r, p = unwinds(4, z)
    print(r, show(p), [show(q) for q in seen], seen[-1].nxt is p)
