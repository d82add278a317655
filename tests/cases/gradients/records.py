# Gradients by trees and linked lists: objects of the same classes, whatever their shape, from one piece of code.
import math
from dataclasses import dataclass
from typing import Optional

from snekpy import grad, value_and_grad
from support import rounded


@dataclass
class Tree:
    value: float
    left: Optional["Tree"] = None
    right: Optional["Tree"] = None


@dataclass
class Cell:
    head: float
    tail: Optional["Cell"] = None


def grown(depth, value=0.3):
    return Tree(value, grown(depth - 1, value * 0.9), grown(depth - 1, value * 1.1)) if depth else None


def fold(tree, x):
    if tree is None:
        return x
    return math.sin(fold(tree.left, x) * tree.value) + fold(tree.right, x) * 0.5


def chain(n):
    cell = None
    for i in range(n):
        cell = Cell(0.1 * i, cell)
    return cell


def horner(cell, x):
    total = 0.0
    while cell is not None:
        total = total * x + cell.head
        cell = cell.tail
    return total


for depth in (1, 2, 3, 5):
    print(rounded(grad(fold)(grown(depth), 0.5)))
    print(rounded(grad(fold, argnums=(1, 0))(grown(depth), 0.5)))

for n in (1, 3, 8):
    print(rounded(grad(horner)(chain(n), 0.5)), rounded(value_and_grad(horner, argnums=(0, 1))(chain(n), 0.5)))

g, length = grad(horner)(chain(200), 0.999), 0
while g is not None:
    length, g = length + 1, g.tail
print(length)
