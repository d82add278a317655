# G06: recursion over a tree: its shape is known, its values are staged or known.
from support import run, show
from snekpy import stage


class Tree:
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right


def product(tree, base):
    if tree is None:
        return base
    return tree.value * product(tree.left, base) * product(tree.right, base)


def product_of_tuples(tree, base):
    if not tree:
        return base
    left, value, right = tree
    return product_of_tuples(left, base) * value * product_of_tuples(right, base)


def largest_below(tree, limit):
    if tree is None:
        return None
    if tree.value >= limit:
        return largest_below(tree.left, limit)
    found = largest_below(tree.right, limit)
    return tree.value if found is None else found


def depth(tree):
    return 0 if tree is None else 1 + max(depth(tree.left), depth(tree.right))


def made_and_summed(x, n):
    tree = None
    for i in range(3):
        tree = Tree(x + i, tree, Tree(n))
    return total(tree)


def total(tree):
    return tree.value + total(tree.left) + total(tree.right) if tree else 0


TREE = Tree(2, Tree(3, None, Tree(5)), Tree(7))
SEARCH = Tree(5, Tree(2, Tree(1), Tree(4)), Tree(8, None, Tree(9)))


def of_the_global(base):
    return product(TREE, base), depth(TREE)


staged = stage(of_the_global)
run(of_the_global, staged, (1, 2, 0.5, 0))
TREE.right.value = 11
run(of_the_global, staged, (1, 2))
TREE.right.left = Tree(13)
run(of_the_global, staged, (1, 2))
TREE = None
run(of_the_global, staged, (1, 2))
show(product_of_tuples, ((((), 3, ((), 5, ())), 2, ((), 7, ())), 1), ((((), 3, ()), 0.5, ()), 2), ((), 3))
search = stage(largest_below)
print([search(SEARCH, limit) for limit in (0, 1, 2, 3, 5, 6, 8.5, 10)])
show(made_and_summed, (1, 2), (0.5, 1))
