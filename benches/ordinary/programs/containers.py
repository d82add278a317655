from contextlib import contextmanager


class Stack:
    def __init__(self):
        self._items = []

    def push(self, x):
        self._items.append(x)

    def pop(self):
        if not self._items:
            raise IndexError("empty")
        return self._items.pop()

    def __len__(self):
        return len(self._items)

    def __bool__(self):
        return bool(self._items)

    @property
    def top(self):
        return self._items[-1]


def balanced(text):
    pairs = {")": "(", "]": "[", "}": "{"}
    s = Stack()
    for c in text:
        if c in "([{":
            s.push(c)
        elif c in pairs:
            if not s or s.top != pairs[c]:
                return False
            s.pop()
    return len(s) == 0


class Temperature:
    def __init__(self):
        self._c = 0.0

    @property
    def f(self):
        return self._c * 9 / 5 + 32

    @f.setter
    def f(self, v):
        self._c = (v - 32) * 5 / 9


def convert(n):
    t = Temperature()
    s = 0.0
    for i in range(n):
        t.f = i
        s += t.f
    return s


class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __eq__(self, o):
        return self.x == o.x and self.y == o.y

    def __hash__(self):
        return hash((self.x, self.y))

    def __repr__(self):
        return f"Vec({self.x}, {self.y})"


def walk(n):
    p, seen = Vec(0, 0), set()
    for i in range(n):
        p = p + Vec(i % 3 - 1, i % 5 - 2)
        seen.add(p)
    return len(seen), p


class LinkedList:
    class Node:
        def __init__(self, v, nxt):
            self.v, self.nxt = v, nxt

    def __init__(self):
        self.head = None
        self.n = 0

    def push(self, v):
        self.head = LinkedList.Node(v, self.head)
        self.n += 1

    def __iter__(self):
        c = self.head
        while c is not None:
            yield c.v
            c = c.nxt

    def __len__(self):
        return self.n

    def __contains__(self, v):
        return any(x == v for x in self)

    def reverse(self):
        prev, c = None, self.head
        while c:
            c.nxt, prev, c = prev, c, c.nxt
        self.head = prev


def linked(n):
    l = LinkedList()
    for i in range(n):
        l.push(i * i % 31)
    l.reverse()
    return len(l), sum(l), 30 in l, list(l)[:4]


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, ij):
        return self.rows[ij[0]][ij[1]]

    def __setitem__(self, ij, v):
        self.rows[ij[0]][ij[1]] = v

    def __matmul__(self, o):
        n, m, k = len(self.rows), len(o.rows[0]), len(o.rows)
        r = Matrix([[0] * m for _ in range(n)])
        for i in range(n):
            for j in range(m):
                r[i, j] = sum(self[i, t] * o[t, j] for t in range(k))
        return r

    def transpose(self):
        return Matrix([list(c) for c in zip(*self.rows)])


def det(m):
    m = [r[:] for r in m]
    n, d = len(m), 1.0
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(m[r][i]))
        if m[p][i] == 0:
            return 0.0
        if p != i:
            m[i], m[p] = m[p], m[i]
            d = -d
        d *= m[i][i]
        for r in range(i + 1, n):
            f = m[r][i] / m[i][i]
            for c in range(i, n):
                m[r][c] -= f * m[i][c]
    return d


@contextmanager
def counted(log, name):
    log.append("enter " + name)
    try:
        yield len(log)
    finally:
        log.append("exit " + name)


def nested(n):
    log = []
    for i in range(n):
        with counted(log, str(i)) as k:
            if k % 3 == 0:
                continue
            log.append(k)
    return len(log), log[:4]


def bench_balanced():
    return balanced("([{}])" * 60)


def bench_convert():
    return convert(400)


def bench_walk():
    return walk(300)


def bench_linked():
    return linked(200)


MA = Matrix([[(i * j) % 7 for j in range(12)] for i in range(12)])


def matmul(a, b):
    return a @ b


def bench_matrix():
    return matmul(MA, MA.transpose()).rows[3]


def bench_det():
    return det([[float((i * 7 + j * j) % 11) for j in range(10)] for i in range(10)])


def bench_nested():
    return nested(60)
