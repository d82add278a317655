from snekpy import stage
@stage
def g(n):
    s = set(range(n))
    si = iter(s)
    s.clear()
    s.update(range(n))
    return list(si)
@stage
def d(n):
    s = {i: i for i in range(n)}
    si = iter(s.items())
    next(si)
    s.clear()
    for i in range(n): s[i] = -i
    return list(si)
@stage
def grown(n):
    s = {i: i for i in range(n)}
    out = []
    for k in s:
        out.append(k)
        if k == 1: s[n] = 0
    return out
@stage
def shrunk(n):
    s = {i: i for i in range(n)}
    out = []
    for k in s:
        out.append(k)
        if k == 1: del s[0]
    return out
for fn in (g, d, grown, shrunk):
    for n in (3, 5, 50, 100, 100):
        try: print(fn.__name__, fn(n))
        except RuntimeError as e: print(fn.__name__, e)
