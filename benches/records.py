"""Trees as arguments: `tree_prod` of a tree of 100,000 nodes, staged beside plain, and what reading the tree costs.

    snekpy benches/records.py

Prints the medians of the repetitions, which take turns: the time of a plain call over that of a staged one, and the
nanoseconds for each node that a call takes which only looks at the root.
"""

import random
import statistics
import sys
import time
from dataclasses import dataclass
from typing import Optional

from snekpy import stage

NODES = 100_000
REPETITIONS = 15


@dataclass
class Tree:
    value: float
    left: Optional["Tree"] = None
    right: Optional["Tree"] = None


def tree_prod(tree, base):
    if tree is None:
        return base
    return tree.value * tree_prod(tree.left, base) * tree_prod(tree.right, base)


def root(tree):
    return tree.value


def random_tree(source, size):
    if size == 0:
        return None
    left = source.randrange(size)
    return Tree(source.uniform(0.9, 1.1), random_tree(source, left), random_tree(source, size - 1 - left))


def took(f, *args):
    begin = time.perf_counter()
    f(*args)
    return time.perf_counter() - begin


def main():
    sys.setrecursionlimit(10_000)
    tree = random_tree(random.Random(1), NODES)
    staged, read = stage(tree_prod, strict=True), stage(root, strict=True)
    assert staged(tree, 1.5) == tree_prod(tree, 1.5) and read(tree) == tree.value
    times = [(took(tree_prod, tree, 1.5), took(staged, tree, 1.5), took(read, tree)) for _ in range(REPETITIONS)]
    plain, compiled, reading = (statistics.median(column) for column in zip(*times))
    print(f"plain / staged: {plain / compiled:.1f}   ({plain * 1e3:.1f} ms, {compiled * 1e3:.1f} ms)")
    print(f"reading the tree: {reading / NODES * 1e9:.0f} ns a node, {reading / compiled:.0%} of the staged call")


main()
