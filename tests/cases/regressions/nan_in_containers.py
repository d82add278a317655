"""An object in a container is equal to itself, even a NaN; another NaN is not."""
from snekpy import stage

n = float("nan")
m = -n

def f1(x, y): return [x] == [y], (x,) == (y,), x in [y], [y].count(x), (x, 1) < (y, 2), (x, 1) != (y, 1)
def f2(x):
    l = [1.0, 2.0]; l[0] = x
    return l == [x, 2.0], x in l
def f3(x, k):
    l = [x, 2.0]
    y = l[k]
    return (x,) == (y,), x in l, y in l, [y] == [x]
def f4(x, n):
    y = x
    for i in range(n):
        if i == 3: y = x
        elif i == 5: y = 2.0
    return (x,) == (y,), [y] == [x], y in (x, 3.0)
class P:
    def __init__(s, x): s.x = x
def f5(p, q): return (p.x,) == (q.x,), [p.x, 1] == [q.x, 1]
def f6(t, u): return t == u, t in [u]
def f7(l): return l[0] in l, l.count(l[1]), l == [l[0], l[1]]
def f8(x, n):
    l = []
    for i in range(n): l.append(x)
    return (l[0],) == (x,), [l[1]] == [l[0]]
def f9(x, c):
    y = x + 1.0 if c else x
    return (x,) == (y,), y in [x]


for a in [(n, n), (n, m), (1.0, n), (n, 1.0), (1.0, 1.0)]:
    print(stage(f1)(*a), stage(f5)(P(a[0]), P(a[1])), stage(f6)((a[0], 1), (a[1], 1)), stage(f9)(a[0], a[1] > 0))
for k in (0, 4, 7):
    print(stage(f2)(n), stage(f3)(n, 0), stage(f4)(n, k), stage(f7)([n, n]), stage(f8)(n, 2 + k))
