"""Trees of dataclasses go to compiled recursive code, one specialisation for all of them.

The functions are strict: a call that left compiled code, or needed plain Python, would be an error.
"""

import random
from dataclasses import dataclass
from typing import Optional

from snekpy import stage
from support import outcome, specialisations


@dataclass
class Tree:
    value: float
    left: Optional["Tree"] = None
    right: Optional["Tree"] = None

    def total(self):
        total = self.value
        if self.left is not None:
            total += self.left.total()
        if self.right is not None:
            total += self.right.total()
        return total

    @property
    def is_leaf(self):
        return self.left is None and self.right is None


def tree_prod(tree, base):
    if tree is None:
        return base
    return tree.value * tree_prod(tree.left, base) * tree_prod(tree.right, base)


def depth(tree):
    return 0 if tree is None else 1 + max(depth(tree.left), depth(tree.right))


def largest(tree):
    best = tree.value
    for child in (tree.left, tree.right):
        if child is not None:
            best = max(best, largest(child))
    return best


def leaves(tree):
    if tree.is_leaf:
        return 1
    return (leaves(tree.left) if tree.left else 0) + (leaves(tree.right) if tree.right else 0)


def total(tree):
    return tree.total()


def find(tree, key):
    """A search tree, in a loop: the node itself."""
    steps = 0
    while tree is not None and tree.value != key:
        tree = tree.left if key < tree.value else tree.right
        steps += 1
    return tree, steps


def heaviest(tree):
    """The node with the largest value, by recursion."""
    best = tree
    for child in (tree.left, tree.right):
        if child is not None:
            other = heaviest(child)
            if other.value > best.value:
                best = other
    return best


def checked(tree, limit):
    if tree is None:
        return 0
    if tree.value > limit:
        raise ValueError("too heavy", limit)
    return 1 + checked(tree.left, limit) + checked(tree.right, limit)


def random_tree(source, size):
    if size == 0:
        return None
    left = source.randrange(size)
    return Tree(source.uniform(0.5, 1.5), random_tree(source, left), random_tree(source, size - 1 - left))


def search_tree(keys):
    if not keys:
        return None
    middle = len(keys) // 2
    return Tree(float(keys[middle]), search_tree(keys[:middle]), search_tree(keys[middle + 1 :]))


source = random.Random(1)
plain = [tree_prod, depth, largest, leaves, total, heaviest]
staged = [stage(f, strict=True) for f in plain]
wrong = 0
for _ in range(10_000):
    tree = random_tree(source, source.randrange(1, 16))
    base = source.uniform(0.5, 1.5)
    wrong += staged[0](tree, base) != tree_prod(tree, base)
for _ in range(300):
    tree = random_tree(source, source.randrange(1, 40))
    for f, g in zip(plain[1:], staged[1:]):
        a, b = f(tree), g(tree)
        wrong += a is not b if isinstance(a, Tree) else (a, type(a)) != (b, type(b))
print("wrong:", wrong, [specialisations(f) for f in staged])

lookup = stage(find, strict=True)
tree = search_tree(list(range(0, 100, 3)))
for key in (0.0, 33.0, 99.0, 50.0, -1.0):
    node, steps = lookup(tree, key)
    print(key, None if node is None else node.value, steps, node is find(tree, key)[0])
print(specialisations(lookup))

count = stage(checked, strict=True)
for limit in (1000.0, 96.0, 10.0):
    outcome(f"checked({limit})", checked, lambda: count(tree, limit))
print(count(None, 1.0), staged[0](None, 2.5))

# The tree changes between the calls.
tree = Tree(2.0, Tree(3.0))
print(staged[0](tree, 1.0), staged[4](tree))
tree.value = 5.0
print(staged[0](tree, 1.0), staged[4](tree))
tree.right = Tree(7.0, tree.left)
print(staged[0](tree, 1.0), staged[4](tree))
tree.left = None
print(staged[0](tree, 1.0), staged[4](tree))
print([specialisations(f) <= 2 for f in staged])
