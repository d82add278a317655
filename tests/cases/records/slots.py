"""Record classes with `__slots__`: their objects have no dict."""

from dataclasses import dataclass
from typing import Optional

from snekpy import stage
from support import outcome, specialisations


@dataclass(slots=True)
class Node:
    value: float
    left: Optional["Node"] = None
    right: Optional["Node"] = None
    leaf: Optional["Leaf"] = None

    def total(self):
        left = 0.0 if self.left is None else self.left.total()
        right = 0.0 if self.right is None else self.right.total()
        return self.value + left + right + (0.0 if self.leaf is None else self.leaf.weight)


@dataclass(frozen=True, slots=True)
class Leaf:
    weight: float
    deep: bool = False


@dataclass(slots=True)
class Named(Node):
    count: int = 0


def total(node):
    return node.total()


def deepest(node):
    while node.left is not None:
        node = node.left
    return node, node.leaf is not None and node.leaf.deep


def counted(node):
    return node.count + node.value


def renamed(node):
    node.value = 7.0
    return node.value


f, g, h = stage(total, strict=True), stage(deepest, strict=True), stage(counted)
trees = [Node(1.0), Node(2.0, Node(3.0), Node(4.0, None, Node(0.5))), Node(1.5, Node(2.5, None, None, Leaf(10.0, True)))]
for tree in trees:
    node, deep = g(tree)
    print(f(tree), node is deepest(tree)[0], deep)
print(specialisations(f), specialisations(g))
trees[1].left.value = 30.0
trees[1].right = trees[1].left
print(f(trees[1]), specialisations(f))

named = Named(1.0, count=3)
print(h(named), h(Named(2.0, Node(1.0), count=4)))
loose = stage(total)
print(loose(trees[0]), loose(named), loose(Node(1.0, named)), loose(trees[2]))
print(loose(Node(1)), loose(Node(1.0, None, None, Leaf(2))))
unset = Node(1.0, Node(2.0))
del unset.left.value
outcome("unset", total, lambda: loose(unset))
print(stage(renamed)(unset), unset.value)

# The class changes: what a slot holds is hidden.
slot = Node.value
Node.value = 100.0
print(loose(trees[0]), loose(trees[2]))
Node.value = property(lambda self: slot.__get__(self) * 2)
print(loose(trees[0]), loose(trees[2]))
Node.value = slot
print(loose(trees[0]), loose(trees[2]))
