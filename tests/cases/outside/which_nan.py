import math
from snekpy import stage
@stage
def f(n):
    d = {}
    x = math.nan
    for i in range(n):
        d[x] = i
        if i % 2: x = x + 0.0
    return len(d)
@stage
def g(xs):
    seen = set()
    for x in xs: seen.add(x)
    return len(seen)
@stage
def h(n):
    s = set()
    for i in range(n): s.add(float('nan'))
    return len(s)
@stage
def k(x, n):
    d = {}
    for i in range(n): d[x] = d.get(x, 0) + 1
    return len(d), x in d, list(d.values())
@stage
def l(x):
    xs = [x, 1.0]
    return x in xs, xs.index(x), xs == [x, 1.0], (x,) == (x,), xs.count(x)
@stage
def m(xs):
    count = {}
    for x in xs:
        if x in count: count[x] += 1
        else: count[x] = 1
    return sorted(count.values())
@stage
def u(xs):
    out = []
    for x in xs:
        if x not in out: out.append(x)
    return len(out)
nan = math.nan
xs = [nan] * 40
for i in range(4):
    print([f(n) for n in (1, 2, 3, 9)], g(xs), g([1.5] * 39 + xs[:3]), h(4), k(1.0, 5), k(nan, 5), k(float('nan'), 3), l(1.0), l(nan))
    print(m([1.0, 2.0, 1.0] * 20), m([1.0, nan, nan, 1.0] * 10), u([1.0, 2.0] * 20), u([1.0, nan] * 20), m([1.0, float('nan')] * 3 + [float('nan')]))
