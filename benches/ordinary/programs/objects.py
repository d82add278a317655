"""Lists, graphs and trees of small objects with numbers in their attributes."""

import math, heapq
from dataclasses import dataclass

# n-body with methods
class Body:
    def __init__(self, x, y, z, vx, vy, vz, m):
        self.x = x; self.y = y; self.z = z
        self.vx = vx; self.vy = vy; self.vz = vz
        self.mass = m
    def move(self, dt):
        self.x += self.vx * dt
        self.y += self.vy * dt
        self.z += self.vz * dt
    def kinetic(self):
        return 0.5 * self.mass * (self.vx ** 2 + self.vy ** 2 + self.vz ** 2)

def make_bodies():
    return [Body(float(i), i * 0.5, -i * 0.25, 0.01 * i, -0.02 * i, 0.03, 1.0 + i) for i in range(8)]

def nbody(bodies, steps, dt):
    for _ in range(steps):
        n = len(bodies)
        for i in range(n):
            a = bodies[i]
            for j in range(i + 1, n):
                b = bodies[j]
                dx = a.x - b.x
                dy = a.y - b.y
                dz = a.z - b.z
                d2 = dx * dx + dy * dy + dz * dz + 0.01
                mag = dt / (d2 * math.sqrt(d2))
                a.vx -= dx * b.mass * mag
                a.vy -= dy * b.mass * mag
                a.vz -= dz * b.mass * mag
                b.vx += dx * a.mass * mag
                b.vy += dy * a.mass * mag
                b.vz += dz * a.mass * mag
        for body in bodies:
            body.move(dt)
    return sum(b.kinetic() for b in bodies)

def bench_nbody():
    return nbody(make_bodies(), 60, 0.01)

# particles
class Particle:
    def __init__(self, x, y, vx, vy):
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy

def step_particles(ps, dt):
    for p in ps:
        p.vy -= 9.8 * dt
        p.x += p.vx * dt
        p.y += p.vy * dt
        if p.y < 0.0:
            p.y = -p.y
            p.vy = -0.9 * p.vy

def bench_particles():
    ps = [Particle(float(i), 10.0 + i, 1.0 + i * 0.1, 0.0) for i in range(200)]
    for _ in range(50):
        step_particles(ps, 0.01)
    return sum(p.x + p.y for p in ps)

# bouncing balls in a class
class Ball:
    def __init__(self, x, y, vx, vy, r):
        self.x = x; self.y = y; self.vx = vx; self.vy = vy; self.r = r
    def update(self, w, h):
        self.x += self.vx
        self.y += self.vy
        if self.x - self.r < 0 or self.x + self.r > w:
            self.vx = -self.vx
        if self.y - self.r < 0 or self.y + self.r > h:
            self.vy = -self.vy

class World:
    def __init__(self, w, h, n):
        self.w = w; self.h = h
        self.balls = [Ball((i * 37) % w, (i * 53) % h, (i % 7) - 3, (i % 5) - 2, 2) for i in range(n)]
    def run(self, steps):
        hits = 0
        for _ in range(steps):
            for b in self.balls:
                b.update(self.w, self.h)
            for i in range(0, len(self.balls) - 1, 2):
                p, q = self.balls[i], self.balls[i + 1]
                dx = p.x - q.x
                dy = p.y - q.y
                if dx * dx + dy * dy <= (p.r + q.r) ** 2:
                    p.vx, q.vx = q.vx, p.vx
                    p.vy, q.vy = q.vy, p.vy
                    hits += 1
        return hits

def bench_balls():
    w = World(200, 150, 60)
    return w.run(100), [(b.x, b.y) for b in w.balls[:5]]

# vectors with dunders in lists
class Vec:
    __slots__ = ("x", "y")
    def __init__(self, x, y):
        self.x = x
        self.y = y
    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)
    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y)
    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)
    def dot(self, o):
        return self.x * o.x + self.y * o.y

def vec_sim(pos, vel, steps):
    for _ in range(steps):
        for i in range(len(pos)):
            pos[i] = pos[i] + vel[i] * 0.01
            if pos[i].dot(pos[i]) > 100.0:
                vel[i] = vel[i] * -1.0
    total = Vec(0.0, 0.0)
    for p in pos:
        total = total + p
    return total.x, total.y

def bench_vec():
    pos = [Vec(float(i % 10), float(i % 7)) for i in range(50)]
    vel = [Vec(1.0 + i * 0.3, -0.5 * i) for i in range(50)]
    return vec_sim(pos, vel, 60)

# linked list built and traversed inside
class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next

def linked(n):
    head = None
    for i in range(n):
        head = Node((i * 7919) % 1000, head)
    total = 0
    for _ in range(5):
        node = head
        while node is not None:
            total += node.value
            node = node.next
    # reverse
    prev = None
    node = head
    while node is not None:
        nxt = node.next
        node.next = prev
        prev = node
        node = nxt
    return total, prev.value

def bench_linked():
    return linked(3000)

# bst
class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

def bst_insert(root, key):
    if root is None:
        return Tree(key)
    node = root
    while True:
        if key < node.key:
            if node.left is None:
                node.left = Tree(key)
                return root
            node = node.left
        elif key > node.key:
            if node.right is None:
                node.right = Tree(key)
                return root
            node = node.right
        else:
            return root

def bst_contains(root, key):
    while root is not None:
        if key == root.key:
            return True
        root = root.left if key < root.key else root.right
    return False

def bst(n):
    root = None
    k = 12345
    for _ in range(n):
        k = (k * 1103515245 + 12345) % 2147483648
        root = bst_insert(root, k % 10000)
    found = 0
    for q in range(0, 10000, 5):
        if bst_contains(root, q):
            found += 1
    return found

def bench_bst():
    return bst(1500)

# priority queue of objects with __lt__
class Task:
    def __init__(self, priority, cost):
        self.priority = priority
        self.cost = cost
    def __lt__(self, other):
        return self.priority < other.priority

def run_tasks(tasks):
    heap = []
    for t in tasks:
        heapq.heappush(heap, t)
    clock = 0
    wait = 0
    while heap:
        t = heapq.heappop(heap)
        clock += t.cost
        wait += clock * t.priority
        if t.cost > 90:
            t.cost -= 60
            t.priority += 10
            heapq.heappush(heap, t)
    return clock, wait

def sift_tasks(tasks):
    # hand written heap
    heap = []
    for t in tasks:
        heap.append(t)
        i = len(heap) - 1
        while i > 0:
            p = (i - 1) // 2
            if heap[i] < heap[p]:
                heap[i], heap[p] = heap[p], heap[i]
                i = p
            else:
                break
    out = 0
    while heap:
        top = heap[0]
        last = heap.pop()
        if heap:
            heap[0] = last
            i = 0
            n = len(heap)
            while True:
                c = 2 * i + 1
                if c >= n:
                    break
                if c + 1 < n and heap[c + 1] < heap[c]:
                    c += 1
                if heap[c] < heap[i]:
                    heap[i], heap[c] = heap[c], heap[i]
                    i = c
                else:
                    break
        out = (out * 31 + top.priority) % 1000003
    return out

def make_tasks():
    return [Task((i * 7919) % 1009, (i * 104729) % 100) for i in range(600)]

def bench_heapq():
    return run_tasks(make_tasks())

def bench_heap():
    return sift_tasks(make_tasks())

# bank
class Account:
    def __init__(self, number, balance):
        self.number = number
        self.balance = balance
        self.moves = 0
    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount")
        self.balance += amount
        self.moves += 1
    def withdraw(self, amount):
        if amount > self.balance:
            return False
        self.balance -= amount
        self.moves += 1
        return True

def transfers(accounts, n):
    failed = 0
    seed = 17
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) % 2147483648
        a = accounts[seed % len(accounts)]
        seed = (seed * 1103515245 + 12345) % 2147483648
        b = accounts[seed % len(accounts)]
        amount = seed % 100 + 1
        if a.withdraw(amount):
            b.deposit(amount)
        else:
            failed += 1
    return failed

def bench_bank():
    accounts = [Account(i, 500) for i in range(40)]
    f = transfers(accounts, 4000)
    return f, sum(a.balance for a in accounts), sum(a.moves for a in accounts)

# grid of cells
class Cell:
    def __init__(self, x, y, alive):
        self.x = x
        self.y = y
        self.alive = alive
        self.next = False
        self.neighbours = []

def make_grid(w, h):
    cells = [[Cell(x, y, (x * 7 + y * 13) % 3 == 0) for x in range(w)] for y in range(h)]
    for y in range(h):
        for x in range(w):
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if dx or dy:
                        cells[y][x].neighbours.append(cells[(y + dy) % h][(x + dx) % w])
    return cells

def life(cells, steps):
    for _ in range(steps):
        for row in cells:
            for c in row:
                n = 0
                for o in c.neighbours:
                    if o.alive:
                        n += 1
                c.next = n == 3 or (c.alive and n == 2)
        for row in cells:
            for c in row:
                c.alive = c.next
    return sum(c.alive for row in cells for c in row)

def bench_life():
    return life(make_grid(20, 20), 8)

def diffuse(cells, w, h, steps):
    for _ in range(steps):
        for y in range(1, h - 1):
            for x in range(1, w - 1):
                c = cells[y][x]
                c.new = c.value + 0.1 * (cells[y][x - 1].value + cells[y][x + 1].value + cells[y - 1][x].value + cells[y + 1][x].value - 4 * c.value)
        for y in range(1, h - 1):
            for x in range(1, w - 1):
                cells[y][x].value = cells[y][x].new
    return cells[h // 2][w // 2].value

class Heat:
    def __init__(self, v):
        self.value = v
        self.new = 0.0

def bench_heat():
    cells = [[Heat(float((x * y) % 11)) for x in range(24)] for y in range(24)]
    return diffuse(cells, 24, 24, 15)

# entities filtered each step
class Entity:
    def __init__(self, x, v, life):
        self.x = x
        self.v = v
        self.life = life
    def tick(self):
        self.x += self.v
        self.life -= 1
    @property
    def alive(self):
        return self.life > 0

def entities(es, steps):
    total = 0.0
    for _ in range(steps):
        for e in es:
            e.tick()
        es = [e for e in es if e.alive]
        for e in es:
            total += e.x
    return total, len(es)

def bench_entities():
    return entities([Entity(i * 0.5, 0.1 * (i % 9), 5 + i % 60) for i in range(200)], 40)

# slots
class SlotP:
    __slots__ = ("x", "v", "n")
    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.n = 0

def slots_step(ps, steps):
    for _ in range(steps):
        for p in ps:
            p.x += p.v
            if p.x > 100.0:
                p.x -= 100.0
                p.n += 1
    return sum(p.n for p in ps)

def bench_slots():
    return slots_step([SlotP(i * 1.5, 3.0 + i * 0.1) for i in range(200)], 50)

# dataclass
@dataclass
class Item:
    weight: int
    price: float
    count: int = 1

def value_items(items, rounds):
    best = 0.0
    for r in range(rounds):
        total = 0.0
        weight = 0
        for it in items:
            if it.weight * it.count + weight < 4000:
                weight += it.weight * it.count
                total += it.price * it.count
            it.count = it.count % 3 + 1
        if total > best:
            best = total
    return best

def bench_items():
    return value_items([Item(i % 17 + 1, (i % 23) * 0.75) for i in range(200)], 50)

# objects created each step (spawn)
def spawn(n, steps):
    ps = []
    total = 0.0
    for s in range(steps):
        for i in range(n):
            ps.append(Particle(i * 1.0, s * 1.0, 0.5, -0.25))
        for p in ps:
            p.x += p.vx
            p.y += p.vy
        ps = [p for p in ps if p.y > -1.0]
        total += len(ps)
    return total, sum(p.x for p in ps)

def bench_spawn():
    return spawn(20, 30)

# graph of node objects
class GNode:
    def __init__(self, i):
        self.id = i
        self.dist = -1
        self.edges = []

def bfs(nodes, start):
    for n in nodes:
        n.dist = -1
    start.dist = 0
    queue = [start]
    for n in queue:
        for m in n.edges:
            if m.dist < 0:
                m.dist = n.dist + 1
                queue.append(m)
    return max(n.dist for n in nodes)

def bench_bfs():
    nodes = [GNode(i) for i in range(800)]
    for i, n in enumerate(nodes):
        for k in (1, 7, 31):
            n.edges.append(nodes[(i * k + k) % 800])
    return [bfs(nodes, nodes[k]) for k in range(4)]

# neural net of Neuron objects
class Neuron:
    def __init__(self, k, n):
        self.weights = [((i * 7 + k * 3) % 11 - 5) * 0.1 for i in range(n)]
        self.bias = 0.1
        self.out = 0.0
        self.delta = 0.0

def forward(layer, xs):
    for n in layer:
        s = n.bias
        for w, x in zip(n.weights, xs):
            s += w * x
        n.out = 1.0 / (1.0 + math.exp(-s))
    return [n.out for n in layer]

def bench_net():
    layer = [Neuron(k, 16) for k in range(16)]
    xs = [i * 0.1 for i in range(16)]
    for _ in range(30):
        xs = forward(layer, xs)
    return sum(xs)
