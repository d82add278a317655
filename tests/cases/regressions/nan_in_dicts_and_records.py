"""NaNs in dicts, sets, records and lists of any length: each is equal to itself there."""
from dataclasses import dataclass

from snekpy import stage

n = N = float("nan")
m = -n


@dataclass
class D:
    a: float
    b: float
def g1(x, y): return {1: x} == {1: y}, {1: x} != {1: y}, [x, 1.0].index(y) if y in [x] else -1
def g2(x, y):
    l = [x, 2.0, y]
    l.remove(y)
    return l
def g3(x, y): return (D(x, 1.0).a, 1) == (D(y, 1.0).a, 1), (x, y) == (y, x)
def g4(l, x): return x in l, l.count(x), N in l, N in l[1:]
def g5(x, y): 
    s = {x}
    return y in s, len({x, y}), {x: 1}.get(y), x in {y: 2}
def g6(d, x): return x in d, N in d
def g7(x, y):
    match (x, 1):
        case (N.real, 1): return 1
        case _: return 2
def g8(x, y): return (x, y) in [(y, x)], [(x,), (y,)].index((y,)), max((x, 1), (y, 2)), sorted([(x, 2), (y, 1)])[0][1]
def g9(x, n):
    l = [x] * n
    return x in l, l == [x] * n, l.count(l[0]) , (l[0], 1) in [(l[1], 1)]
def g10(x, n):
    d = {}
    for i in range(n): d[i] = x
    return d == {i: x for i in range(n)}, x in d.values(), list(d.values()) == [x] * n
def g11(x, y): return (x, y) <= (y, y), (x,1) >= (y, 1), [[x]] == [[y]], ((x, 1), 2) == ((y, 1), 2)
def g12(x, y): return (x == y, x != y, x is y or 7) if False else (x == y)
def g13(x, n):
    s = set()
    for i in range(n): s.add(x)
    return len(s), x in s


for a in [(n, n), (n, m), (1.0, n), (n, 1.0), (1.0, 1.0)]:
    print(*(stage(g)(*a) for g in (g1, g2, g3, g5, g7, g8, g11, g12)))
for l in ([n], [n, n, m], [m, n, 1.0], [1.0] * 8 + [n, m]):
    for x in (n, m, 1.0):
        print(stage(g4)(l, x), *(stage(g6)(d, x) for d in (dict.fromkeys(l, 2.0), set(l))))
for k in (2, 3, 20):
    for x in (n, 1.0):
        print(stage(g9)(x, k), stage(g10)(x, k), stage(g13)(x, k))
