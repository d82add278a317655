"""Numbers in attributes of objects, which compiled code keeps while it runs: whoever looks at the objects sees what plain
Python has written by then, by native code, through dicts that somebody holds, in methods of others, behind exceptions."""

import copy
import functools
import operator

from snekpy import stage


class P:
    def __init__(self, x, y=0):
        self.x = x
        self.y = y

    def __repr__(self):
        return f"P({self.x}, {self.y})"

    def __lt__(self, other):
        return self.x < other.x

    def __eq__(self, other):
        return isinstance(other, P) and self.x == other.x

    def __hash__(self):
        return hash(self.x)


class Q:
    def __init__(self, x, y=0):
        self.x = x
        self.y = y


class S:
    __slots__ = ("x", "y")

    def __init__(self, x, y=0):
        self.x = x
        self.y = y


get_x = operator.attrgetter("x")
held = []
told = []


def tell(*what):
    told.append(what)


def each(f, n=4, count=40, classes=(P, Q, S), **kwargs):
    for cls in classes:
        outcomes = []
        for function in (f, stage(f)):
            outcome = []
            for _ in range(4):
                del told[:], held[:]
                ps = [cls(i * 0.5, i) for i in range(count)]
                try:
                    result = function(ps, n, **kwargs)
                except Exception as error:
                    result = type(error).__name__, str(error), error.__traceback__.tb_next.tb_lineno
                seen = [(p.x, p.y) for p in ps]
                outcome.append((repr(result) if cls is P else str(type(result)), list(map(str, told)), seen))
            outcomes.append(outcome)
        print(f.__name__, cls.__name__, outcomes[0] == outcomes[1], outcomes[0][-1][2][:3])
        if outcomes[0] != outcomes[1]:
            for a, b in zip(*outcomes):
                for what, x, y in zip(("result", "told", "seen"), a, b):
                    if x != y:
                        print("   ", what, x, y)


def natives(ps, n):
    total = 0.0
    for k in range(n):
        for i, p in enumerate(ps):
            p.x += 1.0
            p.y += 1
            if i % 9 == k:
                total += getattr(p, "x") + get_x(p)
                tell(hasattr(p, "z"), getattr(p, "y", None))
    return total


each(natives)


def vars_of(ps, n):
    total = 0.0
    for k in range(n):
        for i, p in enumerate(ps):
            p.x += 1.0
            if i % 9 == k:
                d = vars(p)
                total += d["x"]
                p.x += 1.0
                d["x"] = d["x"] * 2
                total += p.x
                for name, value in d.items():
                    p.y = value
                    tell(name, value, p.y)
    return total


each(vars_of, classes=(P, Q))


def dicts_held(ps, n):
    """Somebody has the dict of an object."""
    dicts = [p.__dict__ for p in ps]
    total = 0.0
    for k in range(n):
        for p, d in zip(ps, dicts):
            p.x += 1.0
            total += d["x"]
            d["y"] = k
            p.y += 2
            total += d["y"] + p.y
    return total


each(dicts_held, classes=(P, Q))


def dicts_passed(ps, n, dicts=None):
    total = 0.0
    for k in range(n):
        for i in range(len(ps)):
            p, d = ps[i], dicts[i]
            p.x += 1.0
            total += d["x"]
            d["y"] = k
            p.y += 2
            total += p.y
    return total


for cls in (P, Q):
    for function in (dicts_passed, stage(dicts_passed)):
        ps = [cls(i * 0.5, i) for i in range(40)]
        print("dicts_passed", function(ps, 3, [p.__dict__ for p in ps]), [(p.x, p.y) for p in ps][:3])


def shares(ps, n):
    """Two objects with one dict."""
    total = 0.0
    for k in range(n):
        for i in range(len(ps)):
            p = ps[i]
            q = ps[i - 1]
            p.x += 1.0
            total += q.x
            q.x += 0.5
            total += p.x
    return total


for cls in (P, Q):
    for function in (shares, stage(shares)):
        for _ in range(3):
            ps = [cls(i * 0.5, i) for i in range(40)]
            for i in range(0, 40, 4):
                ps[i].__dict__ = ps[i - 1].__dict__
            result = function(ps, 3)
        print("shares", result, [(p.x, p.y) for p in ps][:3])


def views(ps, n, views=None):
    """Iterators over the dict of an object that the loop changes."""
    total = 0.0
    for k in range(n):
        for i in range(len(ps)):
            p = ps[i]
            p.x += 1.0
            p.y += 1
            for value in views[i]:
                total += value
                p.x += 1.0
                p.y -= 2
    return total


for function in (views, stage(views)):
    for _ in range(3):
        ps = [P(i * 0.5, i) for i in range(40)]
        result = function(ps, 3, [p.__dict__.values() for p in ps])
    print("views", result, [(p.x, p.y) for p in ps][:3])


def texts(ps, n):
    for k in range(n):
        for i, p in enumerate(ps):
            p.x += 1.0
            p.y += 1
            if i % 11 == k:
                tell(f"{p}" if isinstance(p, P) else "", "{0.x} {0.y}".format(p), "%s" % p.y, f"{p.x}")
    return 0


each(texts)


def sorts(ps, n):
    out = []
    for k in range(n):
        for i, p in enumerate(ps):
            p.x = p.x * 7.0 % 13.0
            p.y += 1
        out.append([p.y for p in sorted(ps, key=get_x)][:5])
        out.append(max(ps, key=operator.attrgetter("y")).x)
        out.append(min(ps, key=lambda p: p.x).y)
        ps.sort(key=get_x, reverse=k % 2 == 0)
        out.append(ps[0].x)
    return out


each(sorts)


def compares(ps, n):
    count = 0
    for k in range(n):
        for i in range(len(ps) - 1):
            a, b = ps[i], ps[i + 1]
            a.x += 3.0
            b.y += 1
            if a == b or a in ps[:i]:
                count += 1
            if isinstance(a, P) and a < b:
                count += 10
            count += ps.index(b)
    return count


each(compares)


def copies(ps, n):
    for k in range(n):
        for i, p in enumerate(ps):
            p.x += 1.0
            if i % 13 == k:
                other = copy.copy(p)
                p.x += 1.0
                other.y = 1000
                held.append((other.x, other.y, p.x, p.y))
    tell(held)
    return 0


each(copies, classes=(P, Q))


class Ends:
    def __init__(self, x, other=None):
        self.x = x
        self.other = other

    def __del__(self):
        tell("ends", self.x, self.other and self.other.x)


def holders(ps, n):
    """What objects alone hold ends with them."""
    first = ps[0]
    for k in range(n):
        for i in range(len(ps)):
            p = ps[i]
            p.x += 1.0
            first.x += 0.5
            if i % 5 == k and i > 0:
                ps[i] = type(p)(p.x, 3)
                p.y = 0
                first.y += 1
    return 0


def holding(cls):
    ps = [cls(i * 0.5, i) for i in range(40)]
    for i in range(10, 40, 3):
        ps[i].held = Ends(i, ps[0])
    return ps


for cls in (P, Q):
    outcomes = []
    for function in (holders, stage(holders)):
        for _ in range(3):
            ps = holding(cls)
            del told[:]
            function(ps, 4)
        outcomes.append((list(told), [(p.x, p.y) for p in ps]))
        ps = p = None
    print("holders", cls.__name__, outcomes[0] == outcomes[1], outcomes[0][0][:3])


def calls_others(ps, n, other=None):
    """Functions that are staged themselves, or plain and native."""
    total = 0.0
    for k in range(n):
        for i, p in enumerate(ps):
            p.x += 1.0
            total += other(p)
            total += p.x
    return total


def doubles(p):
    p.x *= 2.0
    p.y += 1
    return p.x


for other in (doubles, stage(doubles), functools.partial(doubles)):
    each(functools.wraps(calls_others)(lambda ps, n: calls_others(ps, n, other)))


def nested(ps, n):
    """Recursion, generators and closures over objects."""

    def walk(i):
        if i >= len(ps):
            return 0.0
        p = ps[i]
        p.x += 1.0
        rest = walk(i + 7)
        p.y += 1
        return rest + p.x

    def numbers():
        for p in ps:
            p.x += 0.5
            yield p.x

    total = 0.0
    for k in range(n):
        total += walk(k)
        for x in numbers():
            total += x
        total += sum(p.x for p in ps)
    return total


each(nested)


class World:
    def __init__(self, cls):
        self.ps = [cls(i * 0.5, i) for i in range(40)]
        self.steps = 0
        self.energy = 0.0

    def run(self, n):
        for _ in range(n):
            self.steps += 1
            for p in self.ps:
                p.x += p.y * 0.25
                self.energy += p.x
            self.ps[0].y = self.steps
        return self.energy


for cls in (P, Q, S):
    plain, staged = World(cls), World(cls)
    run = stage(World.run)
    same = [plain.run(k) == run(staged, k) for k in (1, 5, 7, 9)]
    print("world", cls.__name__, same, plain.energy, [(p.x, p.y) for p in plain.ps] == [(p.x, p.y) for p in staged.ps])


def with_itself(ps, n):
    """An object that is an argument by itself and in the list."""
    return follows(ps, ps[3], n)


def follows(ps, leader, n):
    total = 0.0
    for k in range(n):
        for p in ps:
            p.x += leader.x * 0.01
            leader.y += 1
            total += leader.x + p.y
    return total


for cls in (P, Q, S):
    outcomes = []
    for function in (follows, stage(follows)):
        for call in range(4):
            ps = [cls(i * 0.5, i) for i in range(40)]
            result = function(ps, ps[call] if call % 2 else cls(1.0, 1), 3)
        outcomes.append((result, [(p.x, p.y) for p in ps]))
    print("follows", cls.__name__, outcomes[0] == outcomes[1], result)


def reach(a, b, c, n):
    """The same object from several places."""
    total = 0.0
    for k in range(n):
        for i in range(len(a)):
            p, q, r = a[i], b[i % len(b)], c[(i * 3) % len(c)]
            p.x += 1.0
            q.x += 0.25
            r.y += 1
            total += p.x + q.x + r.x + p.y
    return total


for function in (reach, stage(reach)):
    for _ in range(3):
        ps = [Q(i * 0.5, i) for i in range(70)]
        result = function(ps, ps[::-1], ps[10:50], 4)
    print("reach", result, sum(p.x for p in ps), sum(p.y for p in ps))


def numerous(ps, n):
    """More objects than have rows at a time, most of which are let go of."""
    total = 0.0
    while ps:
        p = ps.pop()
        p.x += 1.0
        p.y += 1
        total += p.x + p.y
        if p.y < n:
            ps.append(p)
    return total


for function in (numerous, stage(numerous)):
    print("numerous", function([Q(i * 0.5, i % 3) for i in range(9000)], 3))
