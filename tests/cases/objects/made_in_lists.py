# Lists of objects that staged code makes.
from dataclasses import dataclass, field
from snekpy import stage


class V:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, o):
        return V(self.x + o.x, self.y + o.y)

    def __repr__(self):
        return "V(%r, %r)" % (self.x, self.y)

    def norm(self):
        return self.x * self.x + self.y * self.y


@dataclass
class P:
    x: float
    v: float


@dataclass(frozen=True)
class F:
    a: int
    b: int


@stage
def appended(n):
    vs = []
    for i in range(n):
        vs.append(V(i * 0.5, 1.0))
    s = 0.0
    for v in vs:
        s += v.x * v.y
    return s, len(vs), vs


print(appended(0), appended(1), appended(4))


@stage
def comprehension(n):
    vs = [V(i, i + 1) for i in range(n)]
    t = V(0, 0)
    for v in vs:
        t = t + v
    return t


print(comprehension(0), comprehension(5))


@stage
def changed(n):
    ps = [P(float(i), 1.0) for i in range(n)]
    for step in range(3):
        for p in ps:
            p.v -= p.x * 0.25
            p.x += p.v * 0.5
    return ps


print(changed(3))


@stage
def indexed(n):
    ps = [P(float(i), 0.0) for i in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            a, b = ps[i], ps[j]
            d = b.x - a.x
            a.v += d
            b.v -= d
    ps[0], ps[-1] = ps[-1], ps[0]
    return ps, ps[0] is ps[n - 1]


print(indexed(4), indexed(1))


@stage
def frozen(n):
    fs = [F(i % 3, i) for i in range(n)]
    same = 0
    for f in fs:
        for g in fs:
            if f == g:
                same += 1
            if f is g:
                same += 100
            if f.a == g.a:
                same += 10000
    return same, fs[-1]


print(frozen(4))


@stage
def popped(n):
    work = [V(n, 0)]
    done = []
    while work:
        v = work.pop()
        if v.x > 1:
            work.append(V(v.x - 1, v.y))
            work.append(V(v.x - 2, v.y + 1))
        else:
            done.append(v)
    return len(done), done[-1]


print(popped(1), popped(8))


@stage
def twice(n):
    vs = []
    for i in range(n):
        v = V(i, i)
        vs.append(v)
        vs.append(v)
    for v in vs:
        v.x += 10
    return vs, vs[0] is vs[1]


vs, same = twice(3)
print(vs, same, vs[2] is vs[3], vs[1] is vs[2])


@stage
def slots(n):
    table = [None] * n
    for i in range(2 * n):
        k = i * 7 % n
        if table[k] is None:
            table[k] = V(k, 1)
        else:
            table[k].y += 1
    t = 0
    for v in table:
        if v is not None:
            t = t * 3 + v.y
    return t, table


print(slots(4))


@stage
def by_key(n):
    vs = [V(i * 7 % n, i) for i in range(n)]
    vs.sort(key=lambda v: v.x)
    return [v.y for v in vs], max(vs, key=lambda v: v.norm()).y


print(by_key(5), by_key(9))


@stage
def pairs(n):
    vs = []
    for i in range(n):
        vs.append((i, V(i, -i)))
    t = 0
    for i, v in vs:
        t += i * v.y
    return t, vs


print(pairs(3))


@stage
def mixed(n):
    out = []
    for i in range(n):
        if i % 3 == 0:
            out.append(V(i, 0))
        elif i % 3 == 1:
            out.append(F(i, 1))
        else:
            out.append(i)
    t = 0
    for o in out:
        if isinstance(o, V):
            t += o.x
        elif isinstance(o, F):
            t += o.a * 100
        else:
            t += o * 10000
    return t


print(mixed(7))


@stage
def printed(n):
    vs = []
    for i in range(n):
        vs.append(V(i, 0))
        if i == 2:
            print(vs[0], vs)
    return vs


print(printed(4))


@stage
def nested(n):
    rows = []
    for i in range(n):
        rows.append([V(i, j) for j in range(i)])
    t = 0
    for row in rows:
        for v in row:
            t = t * 3 % 1000003 + v.x - v.y
    return t, rows


print(nested(4))


@stage
def found(n):
    vs = [V(i, i) for i in range(n)]
    v = vs[n // 2]
    return vs.index(v), v in vs, V(1, 1) in vs, vs.count(v)


print(found(5))


@stage
def beside(given, n):
    vs = [given]
    for i in range(n):
        vs.append(V(i, i))
    t = 0
    for v in vs:
        t += v.x
    return t, vs[0] is given


print(beside(V(100, 1), 3), beside(V(200, 1), 4))


@dataclass
class Particle:
    x: float
    v: float
    hits: int = 0
    trail: list = field(default_factory=list)


@stage
def trails(n, steps):
    them = [Particle(i * 0.1, 1.0 - i * 0.02) for i in range(n)]
    for step in range(steps):
        for p in them:
            p.x += p.v * 0.05
            if p.x > 0.5:
                p.v = -p.v
                p.hits += 1
        if step % 3 == 0:
            for p in them:
                p.trail.append(p.x)
    return sum(p.hits for p in them), round(sum(p.x for p in them), 9), [len(p.trail) for p in them], them[0].trail


print(trails(5, 20)[:3], [round(x, 6) for x in trails(2, 9)[3]])
