# Algorithms over objects that the call makes: lists that are sorted, balanced trees, graphs, simulations.
from snekpy import stage
class Node:
    def __init__(self, v, nxt=None):
        self.v = v
        self.nxt = nxt
@stage
def mergesort(n):
    head = None
    x = 12345
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        head = Node(x % 100000, head)
    def split(p):
        slow = p
        fast = p.nxt
        while fast is not None and fast.nxt is not None:
            slow = slow.nxt
            fast = fast.nxt.nxt
        second = slow.nxt
        slow.nxt = None
        return p, second
    def merge(a, b):
        if a is None: return b
        if b is None: return a
        if a.v > b.v: a, b = b, a
        first = last = a
        a = a.nxt
        while a is not None and b is not None:
            if a.v <= b.v:
                last.nxt = a
                a = a.nxt
            else:
                last.nxt = b
                b = b.nxt
            last = last.nxt
        last.nxt = a if a is not None else b
        return first
    def sort(p):
        if p is None or p.nxt is None: return p
        a, b = split(p)
        return merge(sort(a), sort(b))
    head = sort(head)
    t = 0
    while head is not None:
        t = (t * 31 + head.v) % 1000003
        head = head.nxt
    return t
class AVL:
    def __init__(self, k):
        self.k = k
        self.l = None
        self.r = None
        self.h = 1
def height(t): return 0 if t is None else t.h
def update(t):
    a, b = height(t.l), height(t.r)
    t.h = 1 + (a if a > b else b)
def rotr(y):
    x = y.l
    y.l = x.r
    x.r = y
    update(y); update(x)
    return x
def rotl(x):
    y = x.r
    x.r = y.l
    y.l = x
    update(x); update(y)
    return y
def insert(t, k):
    if t is None: return AVL(k)
    if k < t.k: t.l = insert(t.l, k)
    elif k > t.k: t.r = insert(t.r, k)
    else: return t
    update(t)
    b = height(t.l) - height(t.r)
    if b > 1:
        if k > t.l.k: t.l = rotl(t.l)
        return rotr(t)
    if b < -1:
        if k < t.r.k: t.r = rotr(t.r)
        return rotl(t)
    return t
def inorder(t, acc):
    if t is None: return acc
    acc = inorder(t.l, acc)
    acc = (acc * 31 + t.k) % 1000003
    return inorder(t.r, acc)
@stage
def avl(n):
    root = None
    x = 12345
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        root = insert(root, x % 100000)
    return inorder(root, 0), root.h
class Item:
    def __init__(self, key, value):
        self.key = key; self.value = value; self.prev = None; self.next = None
class LRU:
    def __init__(self, cap):
        self.cap = cap
        self.map = {}
        self.head = Item(0, 0); self.tail = Item(0, 0)
        self.head.next = self.tail; self.tail.prev = self.head
    def unlink(self, it):
        it.prev.next = it.next
        it.next.prev = it.prev
    def front(self, it):
        it.next = self.head.next; it.prev = self.head
        self.head.next.prev = it; self.head.next = it
    def get(self, key):
        it = self.map.get(key)
        if it is None: return -1
        self.unlink(it); self.front(it)
        return it.value
    def put(self, key, value):
        it = self.map.get(key)
        if it is not None:
            it.value = value
            self.unlink(it); self.front(it)
            return
        if len(self.map) >= self.cap:
            last = self.tail.prev
            self.unlink(last)
            del self.map[last.key]
        it = Item(key, value)
        self.map[key] = it
        self.front(it)
@stage
def lru(n):
    c = LRU(50)
    x = 12345
    hits = 0
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        k = (x >> 8) % 120
        if c.get(k) >= 0: hits += 1
        else: c.put(k, i)
    return hits
class P:
    def __init__(self, x, y, vx, vy, m):
        self.x = x; self.y = y; self.vx = vx; self.vy = vy; self.m = m
@stage
def bodies(n, steps):
    ps = [P(i * 1.5, i * i * 0.1, 0.0, 0.0, 1.0 + i % 3) for i in range(n)]
    for s in range(steps):
        for i in range(n):
            a = ps[i]
            for j in range(i + 1, n):
                b = ps[j]
                dx = b.x - a.x; dy = b.y - a.y
                d = (dx * dx + dy * dy + 0.01) ** -1.5
                a.vx += dx * d * b.m; a.vy += dy * d * b.m
                b.vx -= dx * d * a.m; b.vy -= dy * d * a.m
        for p in ps:
            p.x += p.vx * 0.01; p.y += p.vy * 0.01
    return sum(p.x + p.y for p in ps)
class Vertex:
    def __init__(self, id):
        self.id = id; self.out = []; self.seen = False; self.dist = -1
@stage
def bfs(n):
    vs = [Vertex(i) for i in range(n)]
    x = 12345
    for v in vs:
        for k in range(3):
            x = (x * 1103515245 + 12345) % 2147483648
            v.out.append(vs[(x >> 8) % n])
    queue = [vs[0]]
    vs[0].seen = True
    vs[0].dist = 0
    at = 0
    while at < len(queue):
        v = queue[at]; at += 1
        for w in v.out:
            if not w.seen:
                w.seen = True
                w.dist = v.dist + 1
                queue.append(w)
    return len(queue), sum(v.dist for v in vs)
class Set:
    def __init__(self): self.parent = None; self.rank = 0
def find(s):
    while s.parent is not None:
        if s.parent.parent is not None: s.parent = s.parent.parent
        s = s.parent
    return s
@stage
def union(n):
    ss = [Set() for _ in range(n)]
    x = 12345
    count = n
    for i in range(2 * n):
        x = (x * 1103515245 + 12345) % 2147483648
        a = find(ss[(x >> 8) % n])
        x = (x * 1103515245 + 12345) % 2147483648
        b = find(ss[(x >> 8) % n])
        if a is not b:
            count -= 1
            if a.rank < b.rank: a, b = b, a
            b.parent = a
            if a.rank == b.rank: a.rank += 1
    return count
class Q:
    def __init__(self): self.head = None; self.tail = None; self.n = 0
    def push(self, v):
        it = Node(v)
        if self.tail is None: self.head = self.tail = it
        else:
            self.tail.nxt = it
            self.tail = it
        self.n += 1
    def pop(self):
        it = self.head
        if it is None: raise IndexError("empty")
        self.head = it.nxt
        if self.head is None: self.tail = None
        self.n -= 1
        return it.v
@stage
def josephus(n):
    q = Q()
    for i in range(n): q.push(i)
    while q.n > 1:
        q.push(q.pop()); q.pop()
    return q.pop()
class Shape:
    def __init__(self, a): self.a = a
    def area(self): return 0.0
class Sq(Shape):
    def area(self): return self.a * self.a
class Ci(Shape):
    def area(self): return self.a * self.a * 3.14
class Re(Shape):
    def __init__(self, a, b):
        super().__init__(a); self.b = b
    def area(self): return self.a * self.b
@stage
def shapes(n):
    xs = []
    for i in range(n):
        if i % 3 == 0: xs.append(Sq(i * 0.5))
        elif i % 3 == 1: xs.append(Ci(i * 0.25))
        else: xs.append(Re(i * 0.1, 2.0))
    t = 0.0
    for x in xs: t += x.area()
    return t
class Tok:
    def __init__(self, kind, val): self.kind = kind; self.val = val
@stage
def tokens(n):
    ts = []
    for i in range(n):
        ts.append(Tok("num" if i % 2 == 0 else "op", i % 7))
    t = 0
    for k in ts:
        if k.kind == "num": t += k.val
        else: t -= 1
    return t
for f, sizes in (
    (mergesort, (0, 1, 2, 3, 300)),
    (avl, (1, 5, 300)),
    (lru, (3, 500)),
    (bfs, (1, 3, 200)),
    (union, (2, 200)),
    (josephus, (1, 2, 100)),
    (shapes, (0, 1, 100)),
    (tokens, (0, 1, 100)),
):
    print(f.__name__, [f(n) for n in sizes])
print([round(bodies(n, 5), 9) for n in (0, 1, 12)])
