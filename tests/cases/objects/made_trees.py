# Trees that staged code makes, by methods and by functions that call themselves.
from snekpy import stage


class Tree:
    def __init__(self, k):
        self.k = k
        self.l = None
        self.r = None

    def insert(self, k):
        if k < self.k:
            if self.l is None:
                self.l = Tree(k)
            else:
                self.l.insert(k)
        else:
            if self.r is None:
                self.r = Tree(k)
            else:
                self.r.insert(k)

    def total(self):
        t = self.k
        if self.l is not None:
            t += self.l.total()
        if self.r is not None:
            t += self.r.total()
        return t

    def depth(self):
        a = self.l.depth() if self.l is not None else 0
        b = self.r.depth() if self.r is not None else 0
        return 1 + (a if a > b else b)


def keys(t):
    return [] if t is None else keys(t.l) + [t.k] + keys(t.r)


@stage
def methods(n):
    root = Tree(500)
    x = 12345
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        root.insert(x % 1000)
    return root.total(), root.depth()


print([methods(n) for n in (0, 1, 50, 300)])


@stage
def given(n):
    root = Tree(50)
    x = 7
    for i in range(n):
        x = x * 31 % 101
        root.insert(x)
    return root


print(keys(given(0)), keys(given(12)))


def put(t, k):
    if t is None:
        return Tree(k)
    if k < t.k:
        t.l = put(t.l, k)
    else:
        t.r = put(t.r, k)
    return t


@stage
def functions(n):
    root = None
    x = 7
    for i in range(n):
        x = x * 31 % 101
        root = put(root, x)
    return root


print(keys(functions(0)), keys(functions(1)), keys(functions(12)))


def perfect(depth, k):
    if depth == 0:
        return None
    t = Tree(k)
    t.l = perfect(depth - 1, 2 * k)
    t.r = perfect(depth - 1, 2 * k + 1)
    return t


def count(t):
    if t is None:
        return 0
    return 1 + count(t.l) + count(t.r)


@stage
def whole(depth):
    t = perfect(depth, 1)
    return count(t), t


for depth in (0, 1, 3):
    n, t = whole(depth)
    print(n, keys(t))


class Leaf:
    def __init__(self, v):
        self.v = v

    def value(self):
        return self.v


class Add:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def value(self):
        return self.a.value() + self.b.value()


class Mul(Add):
    def value(self):
        return self.a.value() * self.b.value()


def expression(depth, k):
    if depth == 0:
        return Leaf(k % 5 + 1)
    a = expression(depth - 1, k * 3 + 1)
    b = expression(depth - 1, k * 5 + 2)
    if k % 2 == 0:
        return Add(a, b)
    return Mul(a, b)


@stage
def evaluate(depth, k):
    return expression(depth, k).value()


print([evaluate(d, 3) for d in (0, 1, 2, 4)])


class Parent:
    def __init__(self, v, parent):
        self.v = v
        self.parent = parent
        self.children = []
        if parent is not None:
            parent.children.append(self)


@stage
def family(n):
    root = Parent(0, None)
    all = [root]
    for i in range(1, n):
        all.append(Parent(i, all[(i - 1) // 2]))
    t = 0
    for p in all:
        t = t * 7 % 10007 + len(p.children)
        for c in p.children:
            t += c.v * p.v
            if c.parent is not p:
                t += 1000000
    return t, root


for n in (1, 2, 10):
    t, root = family(n)
    print(t, [c.v for c in root.children], all(c.parent is root for c in root.children))


@stage
def iterative(n):
    root = Tree(500)
    x = 12345
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        k = x % 1000
        p = root
        while True:
            if k < p.k:
                if p.l is None:
                    p.l = Tree(k)
                    break
                p = p.l
            else:
                if p.r is None:
                    p.r = Tree(k)
                    break
                p = p.r
    stack = [root]
    out = []
    while stack:
        p = stack.pop()
        out.append(p.k)
        if p.l is not None:
            stack.append(p.l)
        if p.r is not None:
            stack.append(p.r)
    return out


print(iterative(0), iterative(9))
