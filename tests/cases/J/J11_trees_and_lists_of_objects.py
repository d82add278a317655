# J11: trees and linked lists as arguments, each of another shape: walked, changed, searched, built and shared.

from snekpy import stage


class Node:
    def __init__(self, v, left=None, right=None):
        self.v = v
        self.left = left
        self.right = right

    def __repr__(self):
        return f"({self.left or '.'} {self.v} {self.right or '.'})"


def tree(depth, v=0):
    if depth <= 0:
        return None
    return Node(depth + v, tree(depth - 1, v), tree(depth - 1 - v % 2, v + 1))


counter = iter(range(0, 10**6))
best = 0


@stage
def depth(t):
    return 0 if t is None else 1 + max(depth(t.left), depth(t.right))


@stage
def total(t):
    if t is None:
        return 0
    return t.v + total(t.left) + total(t.right)


@stage
def mirror(t):
    if t is None:
        return None
    t.left, t.right = mirror(t.right), mirror(t.left)
    t.v = -t.v
    return t


@stage
def insert(t, v):
    if t is None:
        return Node(v)
    if v < t.v:
        t.left = insert(t.left, v)
    else:
        t.right = insert(t.right, v)
    return t


@stage
def find(t, v):
    while t is not None:
        if t.v == v:
            return t
        t = t.left if v < t.v else t.right
    return None


def inorder(t):
    if t:
        yield from inorder(t.left)
        yield t.v
        yield from inorder(t.right)


@stage
def ordered(t):
    return list(inorder(t)), sum(inorder(t))


@stage
def track(t):
    global best
    if t is None:
        return
    if t.v > best:
        best = t.v
    t.seen = best
    track(t.left)
    track(t.right)


@stage
def path(t, v):
    if t is None:
        raise KeyError(v)
    t.v += 0.5
    if t.v == v:
        return t
    return path(t.left if v < t.v else t.right, v)


@stage
def left_early(t):
    if t is None:
        return 0
    t.v += 1
    if t.v == 3:
        t.v += next(counter)
    return t.v + left_early(t.left)


for size in (1, 2, 3, 3, 4, 1):
    print(size, depth(tree(size, size)), total(tree(size, size)), ordered(tree(size, size)))
    print(mirror(tree(size, size)), left_early(tree(size)))
    for v in (0, 3.5, 99):
        t = tree(size, size)
        grown = insert(t, v)
        print(grown is t, grown, find(grown, v).v)
    t = tree(size, size)
    track(t)
    print(best, [n.seen for n in (t, t.left or t, t.right or t)], find(t, t.v) is t)
    try:
        print(path(t, t.v + 0.5) is t, t)
        path(t, -1)
    except KeyError as error:
        print("KeyError", error, t)

shared = Node(7)
for v in range(3):
    both = Node(v, shared, shared)
    print(total(both), left_early(both), shared.v)

root = None
for v in (5, 3, 8, 1, 4, 7, 9, 2, 6):
    root = insert(root, v)
print(root, depth(root), total(root))
