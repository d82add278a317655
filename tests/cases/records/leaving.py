"""A call that leaves compiled code in the middle goes on with the real objects."""

import random
from dataclasses import dataclass
from typing import Optional

from snekpy import stage
from support import outcome


@dataclass
class Node:
    value: int
    left: Optional["Node"] = None
    right: Optional["Node"] = None


KEPT = []


def shown(node, stop):
    """Prints a node, which its class does, and goes on."""
    total = 0
    while node is not None:
        total += node.value
        if node.value == stop:
            print("here:", node, repr(node.left), total)
            KEPT.append(node)
        node = node.left if node.left is not None else node.right
    return total, node


def changed(node, by):
    """Changes the nodes, and reads them again."""
    before = node.value
    left = node.left
    node.value += by
    if left is not None:
        left.value += node.value
        node.right = left
    return before, node.value, node.right is left, left


def reversed_list(node):
    done = None
    while node is not None:
        node.left, done, node = done, node, node.left
    return done


def added(node):
    node.extra = node.value + 1
    try:
        return node.missing
    except AttributeError as error:
        return str(error), node.extra, error.obj is node


def compared(a, b):
    return a == b, a != b, a.left == b.left, a == None, a in [b], [a, b].index(b), a == 3


def keyed(node):
    table = {node.value: node, "left": node.left}
    return table[node.value] is node, table["left"] is node.left, id(node) == id(table[node.value])


def gathered(node):
    """A list of nodes that grows."""
    waiting, order = [node], []
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += [child for child in (node.right, node.left) if child is not None]
    return order


def squared(node):
    """An int past 64 bits: the call starts over."""
    if node is None:
        return 1
    return (node.value + 10**6) * squared(node.left) * squared(node.right)


def raised(node):
    if node.left is None:
        raise LookupError(node)
    return node.left


def made(node, n):
    """New objects of the class beside those that were passed."""
    new = Node(node.value + n, node)
    return new.left is node, new is node, new.left.value + new.value, new


def tree(source, size):
    if size == 0:
        return None
    left = source.randrange(size)
    return Node(size, tree(source, left), tree(source, size - 1 - left))


source = random.Random(3)
a = tree(source, 12)
for stop in (12, 3, 100):
    outcome(f"shown({stop})", shown, lambda: stage(shown)(a, stop))
print([node.value for node in KEPT], KEPT[0] is a)
f = stage(changed)
for by in (1, 2, 3):
    outcome("changed", changed, lambda: f(a, by))
print(a.value, a.right is a.left, f(Node(1), 5))
back = stage(reversed_list)
print(back(Node(1, Node(2, Node(3)))), back(None))
f = stage(added)
node = Node(5)
outcome("added", added, lambda: f(node))
print(node.__dict__)
outcome("added again", added, lambda: f(node))
f = stage(compared)
print(f(Node(1, Node(2)), Node(1, Node(2))), f(Node(1, Node(2)), Node(1)), f(a, a))
print(stage(keyed)(a), [node.value for node in stage(gathered)(tree(source, 6))])
f = stage(squared)
print(f(Node(2, Node(3))), f(a), f(Node(4)))
f = stage(raised)
print(f(Node(1, Node(2))))
try:
    f(a.right or a)
    print("left")
except LookupError as error:
    print("raised", error.args[0] is a.right)
lone = Node(9)
try:
    f(lone)
except LookupError as error:
    print(error.args[0] is lone)
f = stage(made)
result = f(lone, 4)
print(result, result[3].left is lone)


def pushed(node, value):
    """Inserts into a search tree: ever new structures, which it changes."""
    while True:
        if value == node.value:
            return False
        if value < node.value:
            if node.left is None:
                node.left = Node(value)
                return True
            node = node.left
        else:
            if node.right is None:
                node.right = Node(value)
                return True
            node = node.right


def settled(node, times):
    """Changes the same objects in a loop."""
    for _ in range(times):
        node.value += 1
        if node.left is not None:
            node.left.value -= node.value
    return node.value


f = stage(pushed)
root = Node(50)
print(sum(f(root, (value * 37) % 101) for value in range(200)))


def inorder(node):
    return [] if node is None else inorder(node.left) + [node.value] + inorder(node.right)


print(inorder(root) == sorted({50, *((value * 37) % 101 for value in range(200))}))
f = stage(settled, strict=True)
node = Node(1, Node(2))
print(f(node, 1000), f(node, 1000), node)
