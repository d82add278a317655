# Objects that a call makes ever more of, wherever a program may put them and whatever it may do with them.
from snekpy import stage
import copy, collections, heapq, functools
def guard(f):
    def g(*a):
        try:
            return f(*a)
        except Exception as e:
            return type(e).__name__, str(e)[:60]
    return g
class Node:
    kind = "node"
    count = 0
    def __init__(self, v, nxt=None):
        self.v = v
        self.nxt = nxt
    @property
    def double(self):
        return self.v * 2
    @double.setter
    def double(self, x):
        self.v = x // 2
    @classmethod
    def make(cls, v): return cls(v)
    @staticmethod
    def two(): return 2
class B(Node):
    def __bool__(self): return self.v > 2
class L(Node):
    def __len__(self): return self.v % 3
class E(Node):
    def __eq__(self, o): return self.v % 3 == o.v % 3
    def __hash__(self): return self.v % 3
class O(Node):
    def __lt__(self, o): return self.v > o.v
class S(Node):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
class G(Node):
    def __getattr__(self, name): return 77
def show(p, most=9):
    out = []
    while p is not None and len(out) < most:
        out.append(p.v)
        p = p.nxt
    return out
T = []
def test(f):
    T.append(f); return f
for C in (Node, B, L, E, O, S, G):
    def chain(n, C=C):
        head = None
        for i in range(n):
            head = C(i, head)
        t = 0
        p = head
        while p is not None:
            t += p.double + len(p.kind) + p.two()
            p.double = p.v * 2 + 2
            p = p.nxt
        return t, show(head), head
    def truth(n, C=C):
        xs = [C(i) for i in range(n)]
        t = 0
        for x in xs:
            if x: t += 1
            if not x: t += 100
            t += 1000 if x == xs[0] else 0
            t += 10000 if x != xs[1] else 0
        return t
    def order(n, C=C):
        xs = [C(i * 7 % 10) for i in range(n)]
        m = xs[0]
        for x in xs:
            if x < m: m = x
        return m.v
    def attrs(n, C=C):
        xs = [C(i) for i in range(n)]
        t = 0
        for x in xs:
            t += getattr(x, "v") + (1 if hasattr(x, "foo") else 0)
            setattr(x, "v", 3)
            t += x.v
        return t, xs[0].__class__.__name__, type(xs[-1]) is C, isinstance(xs[0], Node), x.__dict__
    for f in (chain, truth, order, attrs):
        f.__name__ += C.__name__
        test(f)
@test
def closure(n):
    head = None
    def push(v):
        nonlocal head
        head = Node(v, head)
    for i in range(n): push(i)
    return show(head), head
H = None
@test
def glob(n):
    global H
    H = None
    for i in range(n): H = Node(i, H)
    return show(H), H is H
@test
def gens(n):
    def walk(p):
        while p is not None:
            yield p
            p = p.nxt
    head = None
    for i in range(n): head = Node(i, head)
    return sum(p.v for p in walk(head)), [p.v for p in walk(head)], max(walk(head), key=lambda p: -p.v).v
@test
def lists(n):
    xs = [Node(i) for i in range(n)]
    ys = xs[1:] + xs[:1]
    zs = list(xs)
    xs.insert(1, Node(99)); xs.extend([Node(5), xs[0]])
    del xs[2]
    xs.reverse()
    return [x.v for x in xs], [y.v for y in ys], zs[0] is ys[-1], [a.v * b.v for a, b in zip(xs, ys)], [(i, x.v) for i, x in enumerate(reversed(zs))], sum(map(lambda q: q.v, zs)), [q.v for q in filter(lambda q: q.v % 2, zs)], any(q.v == 3 for q in zs), sorted(zs, key=lambda q: q.v % 3)[0].v, zs
@test
def remove(n):
    xs = [Node(i) for i in range(n)]
    x = xs[n // 2]
    xs.remove(x)
    return [q.v for q in xs], x in xs, xs.index(xs[1]), xs.count(xs[0])
@test
def times(n):
    xs = [Node(3)] * n
    xs[0].v = 8
    return [x.v for x in xs], xs[0] is xs[-1], xs
@test
def swap(n):
    a = b = None
    for i in range(n):
        a, b = Node(i, b), a
        if a.nxt is not None: a.nxt.v += 10
    a.nxt, b.nxt = b.nxt, a.nxt if a.nxt is not b else None
    return show(a), show(b)
@test
def tuples(n):
    q = [(0, Node(0))]
    out = []
    while q and len(out) < n:
        d, x = q.pop(0)
        out.append((x, d, x.v))
        q.append((d + 1, Node(x.v * 2 + 1, x)))
        q.append((d + 1, Node(x.v * 2 + 2, x)))
    return [(x.v, d, v, x.nxt and x.nxt.v) for x, d, v in out], out[-1][0]
@test
def deque(n):
    q = collections.deque([Node(0)])
    t = 0
    for i in range(n):
        x = q.popleft()
        t += x.v
        q.append(Node(i, x)); q.append(Node(i * 2))
    return t, len(q)
@test
def heap(n):
    h = []
    for i in range(n): heapq.heappush(h, (i * 7 % 10, i, Node(i)))
    return [heapq.heappop(h)[2].v for _ in range(n)]
@test
def dicts(n):
    d = {}
    for i in range(n): d[i] = Node(i, d.get(i - 2))
    return [show(d[k]) for k in d]
@test
def sets(n):
    s = set()
    xs = [Node(i) for i in range(n)]
    for x in xs: s.add(x)
    return len(s), xs[0] in s, Node(0) in s
def delete(t, k):
    if t is None: return None, False
    if t.v == k: return t.nxt, True
    t.nxt, found = delete(t.nxt, k)
    return t, found
@test
def recursive(n):
    head = None
    for i in range(n): head = Node(i, head)
    out = []
    for k in (0, 3, n - 1, 100):
        head, found = delete(head, k)
        out.append(found)
    return show(head), out
class Err(Exception):
    def __init__(self, node): self.node = node
@test
def raised(n):
    head = None
    try:
        for i in range(n):
            head = Node(i, head)
            if i == 5: raise Err(head)
    except Err as e:
        return show(e.node), e.node is head
    return show(head)
@test
def lists_in(n):
    head = None
    for i in range(n):
        head = Node([i, i + 1], head)
        head.v.append(7)
        if head.nxt is not None: head.nxt.v[0] += 100
    return show(head), head.v is head.v
@test
def tuples_in(n):
    head = None
    for i in range(n): head = Node((i, 0.5 * i), head)
    t = 0
    p = head
    while p is not None:
        a, b = p.v
        t += a * b
        p = p.nxt
    return t, show(head)
@test
def texts(n):
    head = None
    for i in range(n): head = Node("ab"[i % 2], head)
    return show(head)
@test
def mixed(n):
    head = None
    for i in range(n): head = Node([i, i * 0.5, None, True, i > 3][i % 5], head)
    return show(head), [type(v).__name__ for v in show(head)]
@test
def big(n):
    head = None
    for i in range(n): head = Node(10 ** i, head)
    return show(head, 40)
@test
def copied(n):
    head = None
    for i in range(n): head = Node(i, head)
    c = copy.copy(head)
    return c is head, c.nxt is head.nxt, show(c)
@test
def cls(n):
    Node.count = 0
    xs = []
    for i in range(n):
        xs.append(Node.make(i))
        Node.count += 1
    return Node.count, len(xs), [x.v for x in xs]
@test
def nested(n):
    grid = [[Node(i * j) for j in range(n)] for i in range(n)]
    for i in range(n):
        for j in range(n):
            grid[i][j].nxt = grid[j][i]
    return sum(x.v * x.nxt.v for r in grid for x in r), grid[1][2].nxt is grid[2][1], grid[1][1].nxt is grid[1][1], grid
@test
def default(n, keep=[]):
    p = None
    for i in range(n): p = Node(i, p)
    f = lambda q=p: q
    p.v = 50
    return f() is p, f().v, functools.partial(show, p)()
@test
def starred(n):
    def f(*a, **k): return a[0].v + k["x"].v
    p = None
    for i in range(n): p = Node(i, p)
    t = 0
    while p.nxt is not None:
        t += f(p, p.nxt, x=p.nxt); p = p.nxt
    a, *rest = [p, Node(1), Node(2)]
    return t, a is p, [r.v for r in rest]
@test
def match(n):
    xs = [Node(i, Node(i * 2) if i % 2 else None) for i in range(n)]
    t = 0
    for x in xs:
        match x:
            case Node(v=3): t += 1000
            case Node(v=a, nxt=None): t += a
            case Node(nxt=Node(v=b)): t += b * 10
    return t
@test
def unbound(n):
    for i in range(n):
        p = Node(i)
        if i > 1: p.nxt = q
        q = p
    return show(p)
@test
def partly(n):
    class P:
        def __init__(self, v):
            self.v = v
            if v % 2: self.odd = True
    xs = [P(i) for i in range(n)]
    return [vars(x) for x in xs], sum(hasattr(x, "odd") for x in xs)
@test
def strcat(n):
    head = None
    for i in range(n): head = Node(i, head)
    s = ""
    while head: s += f"{head.v}-{head.nxt is None} "; head = head.nxt
    return s
@test
def whileelse(n):
    head = None
    i = 0
    while i < n:
        i += 1
        if i % 4 == 0: continue
        head = Node(i, head)
        if i > 12: break
    else:
        head = Node(-1, head)
    with_ = [head]
    return show(with_.pop()), with_
for f in T:
    staged = stage(f)
    for n in (8, 3, 8, 40):

        def plain_of(x):
            if isinstance(x, Node):
                return [type(x).__name__, sorted(vars(x))] + [type(v).__name__ for v in show(x)]
            if isinstance(x, (list, tuple)):
                return [plain_of(y) for y in x]
            return x

        expected, found = plain_of(guard(f)(n)), plain_of(guard(staged)(n))
        if expected != found:
            print("differs", f.__name__, n, expected, found)
        elif n == 8:
            print(f.__name__, str(found)[:120])
