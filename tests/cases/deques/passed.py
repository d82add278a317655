# Deques that functions are given and give back, in attributes, tuples, lists and dicts, and what else is put into them.
from collections import deque

from support import show


def push(q, x):
    q.append(x)
    return q


def take(q):
    return q.popleft() if q else -1


def through_functions(n):
    q = deque()
    total = 0
    for i in range(n):
        q = push(q, i)
        push(q, i + 1)
        total = total * 2 % 1009 + take(q)
    return total, q


def made(n):
    q = deque()
    for i in range(n):
        q.append(i)
    return q


def of_others(n):
    a, b = made(n), made(n + 1)
    a.extend(b)
    return a, b


def recursive(n):
    q = deque()

    def go(k):
        q.append(k)
        if k > 0:
            go(k - 1)
            q.popleft()
            go(k - 2)

    go(n)
    return q


def given(q, k):
    if k <= 0:
        return len(q)
    q.append(k)
    if len(q) > 3:
        q.popleft()
    return given(q, k - 1) + given(q, k - 2)


def down(n):
    q = deque([5])
    return given(q, n), q


def fibonacci(n):
    if n < 2:
        return deque([n])
    a, b = fibonacci(n - 1), fibonacci(n - 2)
    a.append(a[-1] + b[-1])
    b.popleft()
    return a


class Queue:
    def __init__(self):
        self.items = deque()
        self.served = 0

    def add(self, x):
        self.items.append(x)

    def serve(self):
        self.served += 1
        return self.items.popleft()

    def __len__(self):
        return len(self.items)


def in_objects(n):
    queue = Queue()
    total = 0
    for i in range(n):
        queue.add(i * i)
        if len(queue) > 5:
            total += queue.serve()
    return total, queue.served, queue.items


def in_tuples(n):
    pair = (deque(), deque([1]))
    for i in range(n):
        pair[i % 2].append(i)
        pair[0].appendleft(-i)
    return pair


def in_lists(n):
    buckets = [deque() for _ in range(3)]
    for i in range(n):
        buckets[i % 3].append(i)
        if len(buckets[0]) > 4:
            buckets[0].popleft()
    return buckets


def in_many_lists(n):
    buckets = [deque() for _ in range(n)]
    for i in range(5 * n):
        buckets[i * 7 % n].append(i)
    return [b.popleft() for b in buckets], buckets


def in_dicts(n):
    table = {"a": deque(), "b": deque([0])}
    for i in range(n):
        table["a"].append(i)
        if i % 2:
            table["b"].append(table["a"].popleft())
    return table


class Node:
    def __init__(self, value):
        self.value = value
        self.left = None
        self.right = None


def by_levels(n):
    root = Node(1)
    queue = deque([root])
    count = 1
    while count < n:
        node = queue.popleft()
        node.left = Node(count * 2)
        node.right = Node(count * 2 + 1)
        queue.append(node.left)
        queue.append(node.right)
        count += 2
    out = []
    queue = deque([root])
    while queue:
        node = queue.popleft()
        out.append(node.value)
        if node.left is not None:
            queue.append(node.left)
            queue.append(node.right)
    return out


def of_lists(n):
    q = deque()
    for i in range(n):
        q.append([i])
        q[0].append(i + 1)
        if len(q) > 3:
            q.popleft()
    return q


def of_deques(n):
    q = deque()
    for i in range(n):
        q.append(deque([i]))
        q[0].append(i)
        if len(q) > 3:
            q.popleft()
    return q


def of_objects(n):
    q = deque()
    for i in range(n):
        q.append(Node(i))
        if i % 3 == 2:
            node = q.popleft()
            node.value += 10
            q.append(node)
    return [node.value for node in q]


def generated(n):
    q = deque([1])

    def items():
        while q:
            x = q.popleft()
            yield x
            if x < n:
                q.append(2 * x)
                q.append(2 * x + 1)

    return [x for x in items()], q


def branches(n):
    q = deque() if n % 2 else deque([1, 2, 3])
    if n % 3 == 0:
        q = deque([0.5])
    for i in range(n):
        q.append(i * 1.0 if n % 3 == 0 else i)
        if i % 4 == 1:
            q.popleft()
    return q


def argument(q, n):
    for i in range(n):
        q.append(i)
        if len(q) > 4:
            q.popleft()
    return len(q), q


def methods(n):
    q = deque()
    push, pull = q.append, q.popleft
    total = 0
    for i in range(n):
        push(i)
        push(i * 2)
        total += pull()
    return total, q


show(through_functions, 0, 1, 40)
show(of_others, 0, 3, 20)
show(recursive, 0, 3, 8)
show(down, 0, 1, 9)
show(fibonacci, 0, 1, 5, 11)
show(in_objects, 0, 5, 30)
show(in_tuples, 0, 5, 30)
show(in_lists, 0, 5, 40)
show(in_many_lists, 1, 7, 30)
show(in_dicts, 0, 5, 20)
show(by_levels, 1, 7, 50)
show(of_lists, 0, 3, 20)
show(of_deques, 0, 3, 20)
show(of_objects, 0, 3, 20)
show(generated, 0, 5, 40)
show(branches, 0, 1, 2, 3, 10, 11, 12)
show(argument, (deque(), 3), (deque([1, 2, 3], 3), 9), (deque(["a"]), 5))
show(methods, 0, 1, 30)


def spin(q, k):
    if k == 0:
        return q[0]
    q.append(q.popleft() + k)
    return spin(q, k - 1)


def turning(n):
    q = deque([1, 2, 3])
    return spin(q, n), q


def base(n):
    if n == 0:
        return deque([1, 2])
    return base(n - 1)


def two_bases(n):
    a, b = base(n), base(n)
    a.append(n)
    b.popleft()
    return a, b, a is b


def emptying(q):
    if not q:
        return 0
    x = q.popleft()
    return x + 2 * emptying(q)


def summed(n):
    return emptying(deque(range(n)))


def filling(q, n):
    if n:
        q.appendleft(n)
        filling(q, n - 1)
        if n % 2:
            q.pop()


def filled(n):
    q = deque()
    filling(q, n)
    filling(q, n)
    return q


def compared(n):
    a, b = made(n), deque(range(n))
    c = a
    b.append(5)
    first = a == b, a != b, a == c
    a.append(5)
    return first, a == b, a != b, a == list(b), list(a) == list(b), a is c


show(turning, 0, 1, 5, 60)
show(two_bases, 0, 1, 7)
show(summed, 0, 1, 20)
show(filled, 0, 1, 9)
show(compared, 0, 1, 9)
