import abc
import enum
import functools
import math
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

FRESH = count()


@functools.total_ordering
class Version:
    __slots__ = ("major", "minor", "patch")

    def __init__(self, text):
        self.major, self.minor, self.patch = map(int, text.split("."))

    def __eq__(self, other):
        return (self.major, self.minor, self.patch) == (other.major, other.minor, other.patch)

    def __lt__(self, other):
        return (self.major, self.minor, self.patch) < (other.major, other.minor, other.patch)

    def __hash__(self):
        return hash((self.major, self.minor, self.patch))

    def __str__(self):
        return f"{self.major}.{self.minor}.{self.patch}"


def newest(texts):
    versions = [Version(t) for t in texts]
    return str(max(versions)), str(sorted(versions)[0]), len(set(versions))


class Temperature:
    def __init__(self, celsius=0.0):
        self._celsius = celsius

    @property
    def celsius(self):
        return self._celsius

    @celsius.setter
    def celsius(self, value):
        if value < -273.15:
            raise ValueError("too cold")
        self._celsius = value

    @property
    def fahrenheit(self):
        return self.celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self.celsius = (value - 32) * 5 / 9


def thermostat(n, start):
    room, failures = Temperature(start), 0
    for i in range(n):
        try:
            if i % 50 == 49:
                room.fahrenheit = -500.0
            elif room.fahrenheit > 70:
                room.celsius -= 0.7
            else:
                room.celsius += 0.9
        except ValueError:
            failures += 1
    return round(room.celsius, 9), failures


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...

    def describe(self):
        return f"{type(self).__name__}:{self.area():.2f}"


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


class Rect(Shape):
    def __init__(self, w, h):
        self.w, self.h = w, h

    def area(self):
        return self.w * self.h


class Square(Rect):
    def __init__(self, side):
        super().__init__(side, side)


def make_shapes(n, seed):
    kinds = [lambda k: Circle(k % 7 + 0.5), lambda k: Rect(k % 5 + 1, k % 3 + 2), lambda k: Square(k % 4 + 1)]
    return [kinds[(i + seed) % 3](i) for i in range(n)]


def total_area(shapes):
    return sum(shape.area() for shape in shapes)


def describe_all(shapes):
    return ",".join(sorted({shape.describe() for shape in shapes}))


class Poly:
    def __init__(self, *coefficients):
        self.c = list(coefficients)

    def __add__(self, other):
        n = max(len(self.c), len(other.c))
        a = self.c + [0] * (n - len(self.c))
        b = other.c + [0] * (n - len(other.c))
        return Poly(*(x + y for x, y in zip(a, b)))

    def __mul__(self, other):
        out = [0] * (len(self.c) + len(other.c) - 1)
        for i, x in enumerate(self.c):
            for j, y in enumerate(other.c):
                out[i + j] += x * y
        return Poly(*out)

    def __call__(self, x):
        total = 0
        for c in reversed(self.c):
            total = total * x + c
        return total


def poly_power(n, k):
    p = Poly(1, k)
    for _ in range(n):
        p = p * Poly(1, 1) + Poly(k)
    return p(1), len(p.c)


@dataclass(frozen=True)
class Vec:
    x: float
    y: float
    z: float

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y, self.z - o.z)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k, self.z * k)

    def dot(self, o):
        return self.x * o.x + self.y * o.y + self.z * o.z

    def cross(self, o):
        return Vec(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)


def spin(n, k):
    v, axis = Vec(1.0, 0.0, 0.5 * k), Vec(0.0, 0.0, 1.0)
    for _ in range(n):
        v = v + axis.cross(v) * 0.01
        v = v * (1.0 / math.sqrt(v.dot(v)))
    return round(v.x, 9), round(v.y, 9), round(v.z, 9)


class Stack:
    def __init__(self):
        self._items = []

    def push(self, item):
        self._items.append(item)

    def pop(self):
        if not self._items:
            raise IndexError("empty")
        return self._items.pop()

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return reversed(self._items)

    def __bool__(self):
        return bool(self._items)


def calculator(tokens):
    stack = Stack()
    for token in tokens:
        if isinstance(token, int):
            stack.push(token)
        else:
            b, a = stack.pop(), stack.pop()
            stack.push({"+": a + b, "-": a - b, "*": a * b % 10007}[token])
    return list(stack)


class State(enum.Enum):
    IDLE = 1
    RUNNING = 2
    PAUSED = 3
    DONE = 4


class Job:
    MOVES = {
        (State.IDLE, "start"): State.RUNNING,
        (State.RUNNING, "pause"): State.PAUSED,
        (State.PAUSED, "start"): State.RUNNING,
        (State.RUNNING, "finish"): State.DONE,
        (State.DONE, "reset"): State.IDLE,
    }

    def __init__(self):
        self.state, self.bad, self.visits = State.IDLE, 0, dict.fromkeys(State, 0)

    def handle(self, event):
        new = self.MOVES.get((self.state, event))
        if new is None:
            self.bad += 1
            return False
        self.state = new
        self.visits[new] += 1
        return True


def run_job(events):
    job = Job()
    for event in events:
        job.handle(event)
    return job.bad, job.visits[State.RUNNING], job.state.name


class Emitter:
    def __init__(self):
        self.handlers = {}

    def on(self, name, handler):
        self.handlers.setdefault(name, []).append(handler)

    def emit(self, name, *args):
        for handler in self.handlers.get(name, ()):
            handler(*args)


def emitted(n):
    seen, total = [], [0]
    emitter = Emitter()
    emitter.on("tick", lambda i: seen.append(i) if i % 10 == 0 else None)

    @functools.partial(emitter.on, "tick")
    def add(i):
        total[0] += i

    for i in range(n):
        emitter.emit("tick", i)
        emitter.emit("tock", i)
    return total[0], len(seen)


class Span(NamedTuple):
    start: int
    end: int

    @property
    def length(self):
        return self.end - self.start

    def overlaps(self, other):
        return self.start < other.end and other.start < self.end


def merge_spans(spans):
    merged = []
    for span in sorted(spans):
        if merged and merged[-1].overlaps(span):
            last = merged.pop()
            merged.append(Span(last.start, max(last.end, span.end)))
        else:
            merged.append(span)
    return len(merged), sum(s.length for s in merged)


class Node:
    def __init__(self, value, children=()):
        self.value, self.children = value, list(children)

    def __iter__(self):
        yield self.value
        for child in self.children:
            yield from child

    def depth(self):
        return 1 + max((c.depth() for c in self.children), default=0)


def build(n, k):
    return Node(n, [build(n - 1 - i, k) for i in range(min(k, n))])


def tree_sum(tree):
    return sum(tree), tree.depth()


class Account:
    interest = 0.02

    def __init__(self, owner, balance):
        self.owner, self.balance, self.history = owner, balance, []

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError(f"{self.owner} has only {self.balance}")
        self.balance -= amount
        self.history.append(-amount)

    def deposit(self, amount):
        self.balance += amount
        self.history.append(amount)


class Savings(Account):
    interest = 0.05

    def year(self):
        self.deposit(round(self.balance * self.interest, 2))


def transfers(n, k):
    a, b, failed = Savings("a", 500.0 + k), Account("b", 300.0), 0
    for i in range(n):
        source, target = (a, b) if i % 3 else (b, a)
        try:
            source.withdraw(i * 7 % 90 + 0.5)
            target.deposit(i * 7 % 90 + 0.5)
        except ValueError:
            failed += 1
        if i % 50 == 0:
            a.year()
    return round(a.balance, 2), round(b.balance, 2), failed, len(a.history)


class Fraction2:
    def __init__(self, p, q=1):
        g = math.gcd(p, q)
        self.p, self.q = p // g, q // g

    def __add__(self, o):
        return Fraction2(self.p * o.q + o.p * self.q, self.q * o.q)

    def __mul__(self, o):
        return Fraction2(self.p * o.p, self.q * o.q)

    def __repr__(self):
        return f"{self.p}/{self.q}"


def fractions(n):
    total = Fraction2(0)
    for i in range(1, n):
        total = total + Fraction2(1, i * (i + 1))
    return repr(total)


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(row, col)) for col in columns] for row in self.rows])

    def __getitem__(self, where):
        r, c = where
        return self.rows[r][c]

    @classmethod
    def identity(cls, n):
        return cls([[int(i == j) for j in range(n)] for i in range(n)])

    def __pow__(self, n):
        result, base = Matrix.identity(len(self.rows)), self
        while n:
            if n & 1:
                result = result @ base
            base = base @ base
            n >>= 1
        return result


def fibonacci(n):
    return (Matrix([[1, 1], [1, 0]]) ** n)[0, 1]


def fibonaccis(n):
    return [fibonacci(i) for i in range(n)]


class Inventory:
    def __init__(self):
        self.items, self.log = {}, []

    def __setitem__(self, name, n):
        self.items[name] = n
        self.log.append((name, n))

    def __getitem__(self, name):
        return self.items.get(name, 0)

    def __contains__(self, name):
        return self[name] > 0

    def __len__(self):
        return sum(self.items.values())


def stock(n):
    inventory = Inventory()
    for i in range(n):
        name = "abcde"[i % 5]
        if name in inventory and i % 3 == 0:
            inventory[name] -= 1
        else:
            inventory[name] += i % 4
    return len(inventory), len(inventory.log)


TEXTS = [f"{i % 5}.{i * 7 % 11}.{i * 3 % 13}" for i in range(200)]
SHAPES = make_shapes(300, 0)
TOKENS = [3, 4, "+", 5, "*", 2, "-"] + [7, "*", 11, "+"] * 300
EVENTS = ["start", "pause", "finish", "start", "finish", "reset"] * 150
SPANS = [Span(i * 37 % 1000, i * 37 % 1000 + i % 9 + 1) for i in range(250)]
TREE = build(7, 3)


def bench_newest():
    return newest(TEXTS)


def bench_newest_fresh():
    k = next(FRESH)
    return newest([f"{i % 5}.{(i + k) * 7 % 11}.{i * 3 % 13}" for i in range(150)])


def bench_thermostat():
    return thermostat(600, 15.0 + next(FRESH))


def bench_area():
    return total_area(SHAPES)


def bench_area_fresh():
    return total_area(make_shapes(200, next(FRESH)))


def bench_describe():
    return describe_all(SHAPES)


def bench_poly():
    return poly_power(18, next(FRESH) % 5 + 1)


def bench_spin():
    return spin(300, 1.0 + next(FRESH))


def bench_calculator():
    return calculator(TOKENS)


def bench_job():
    return run_job(EVENTS)


def bench_emitted():
    return emitted(600)


def bench_spans():
    return merge_spans(SPANS)


def bench_spans_fresh():
    k = next(FRESH)
    return merge_spans([Span(i * 37 % 1000 + k, i * 37 % 1000 + i % 9 + 1 + k) for i in range(200)])


def bench_tree():
    return tree_sum(TREE)


def bench_tree_fresh():
    return tree_sum(build(6, 2 + next(FRESH) % 2))


def bench_transfers():
    return transfers(500, next(FRESH))


def bench_fractions():
    return fractions(200)


def bench_fibonacci():
    return fibonaccis(40)


def bench_stock():
    return stock(500)
