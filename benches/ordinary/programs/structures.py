from dataclasses import dataclass, field


class ListNode:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


class LinkedList:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, value):
        self.head = ListNode(value, self.head)
        self.size += 1

    def reverse(self):
        previous, node = None, self.head
        while node:
            node.next, previous, node = previous, node, node.next
        self.head = previous

    def __iter__(self):
        node = self.head
        while node is not None:
            yield node.value
            node = node.next


def linked(n):
    numbers = LinkedList()
    for i in range(n):
        numbers.push(i * i % 97)
    numbers.reverse()
    return sum(numbers), numbers.size


@dataclass
class Vector:
    x: float
    y: float

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    def length(self):
        return (self.x * self.x + self.y * self.y) ** 0.5


def orbit(steps):
    position, velocity = Vector(1.0, 0.0), Vector(0.0, 1.0)
    for _ in range(steps):
        r = position.length()
        velocity = velocity + position * (-0.01 / (r * r * r))
        position = position + velocity * 0.01
    return round(position.x, 9), round(position.y, 9)


@dataclass
class Particle:
    x: float
    v: float
    hits: int = 0
    trail: list = field(default_factory=list)


def particles(n, steps):
    them = [Particle(i * 0.1, 1.0 - i * 0.02) for i in range(n)]
    for step in range(steps):
        for p in them:
            p.x += p.v * 0.05
            if p.x < 0.0 or p.x > 5.0:
                p.v = -p.v
                p.hits += 1
        if step % 10 == 0:
            for p in them:
                p.trail.append(p.x)
    return sum(p.hits for p in them), round(sum(p.x for p in them), 9), len(them[0].trail)


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def distance(self, other):
        dx, dy = self.x - other.x, self.y - other.y
        return dx * dx + dy * dy


POINTS = [Point(i * 37 % 101, i * 53 % 103) for i in range(120)]


def closest(points):
    best = None
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            d = points[i].distance(points[j])
            if best is None or d < best:
                best = d
    return best


class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items.pop()

    def is_empty(self):
        return not self.items


def stack_ops(n):
    stack, total = Stack(), 0
    for i in range(n):
        stack.push(i)
        if i % 3 == 0:
            total += stack.pop()
    while not stack.is_empty():
        total -= stack.pop()
    return total


class MinHeap:
    def __init__(self):
        self.items = []

    def push(self, item):
        items = self.items
        items.append(item)
        i = len(items) - 1
        while i > 0:
            parent = (i - 1) // 2
            if items[parent] <= items[i]:
                break
            items[parent], items[i] = items[i], items[parent]
            i = parent

    def pop(self):
        items = self.items
        top, last = items[0], items.pop()
        if items:
            items[0] = last
            i = 0
            while True:
                child = 2 * i + 1
                if child >= len(items):
                    break
                if child + 1 < len(items) and items[child + 1] < items[child]:
                    child += 1
                if items[i] <= items[child]:
                    break
                items[i], items[child] = items[child], items[i]
                i = child
        return top


def heap_sort(numbers):
    heap = MinHeap()
    for number in numbers:
        heap.push(number)
    return [heap.pop() for _ in range(len(numbers))]


class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def insert(root, key):
    if root is None:
        return Tree(key)
    if key < root.key:
        root.left = insert(root.left, key)
    elif key > root.key:
        root.right = insert(root.right, key)
    return root


def height(root):
    if root is None:
        return 0
    return 1 + max(height(root.left), height(root.right))


def in_order(root, out):
    if root is not None:
        in_order(root.left, out)
        out.append(root.key)
        in_order(root.right, out)


def tree(keys):
    root = None
    for key in keys:
        root = insert(root, key)
    out = []
    in_order(root, out)
    return height(root), len(out), out[:5]


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(row, column)) for column in columns] for row in self.rows])

    def trace(self):
        return sum(self.rows[i][i] for i in range(len(self.rows)))


def matrices(n):
    m = Matrix([[(i * j) % 5 for j in range(n)] for i in range(n)])
    return ((m @ m) @ m).trace()


class Shape:
    def area(self):
        raise NotImplementedError


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.14159 * self.r * self.r


class Rect(Shape):
    def __init__(self, w, h):
        self.w, self.h = w, h

    def area(self):
        return self.w * self.h


class Square(Rect):
    def __init__(self, w):
        super().__init__(w, w)


def shapes(n):
    them = [Circle(i) if i % 3 == 0 else Rect(i, 2) if i % 3 == 1 else Square(i) for i in range(n)]
    return sum(shape.area() for shape in them)


SHAPES = [Circle(i) if i % 3 == 0 else Rect(i, 2) if i % 3 == 1 else Square(i) for i in range(500)]


def total_area(shapes):
    total = 0
    for shape in shapes:
        total += shape.area()
    return total


NUMBERS = [(i * 7919) % 1009 for i in range(700)]
KEYS = [(i * 331) % 499 for i in range(300)]


def bench_linked():
    return linked(2000)


def bench_orbit():
    return orbit(1500)


def bench_particles():
    return particles(20, 200)


def bench_closest():
    return closest(POINTS)


def bench_stack():
    return stack_ops(5000)


def bench_heap():
    return heap_sort(NUMBERS)


def bench_tree():
    return tree(KEYS)


def bench_matrices():
    return matrices(16)


def bench_shapes():
    return shapes(800)


def bench_area():
    return total_area(SHAPES)
