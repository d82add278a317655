# Recursion, also mutual and over lists and trees (Lantern, figure 4): gradients are those by differences.
import math
from dataclasses import dataclass
from typing import Optional

from snekpy import grad, rep_fun
from support import rounded


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def even(x, n):
    return x if n == 0 else math.sin(odd(x, n - 1)) + x


def odd(x, n):
    return x * x if n == 0 else even(x, n - 1) * 0.5


def branches(x, n):
    if n <= 0:
        return math.tanh(x)
    if x > 1.0:
        return branches(x * 0.5, n - 1) * x
    return branches(x + 0.4, n - 2) + branches(x * x, n - 1)


def looped(x, n):
    total = 0.0
    for i in range(n):
        total = total + looped(x * 0.5, i) * math.cos(x)
    return total + x


@rep_fun
def cube(x):
    return x * x * x


def fold(xs, i, acc):
    return acc if i == len(xs) else fold(xs, i + 1, acc * 0.5 + xs[i] * xs[i])


@dataclass
class Tree:
    value: float
    left: Optional["Tree"] = None
    right: Optional["Tree"] = None


def walk(tree, w):
    if tree is None:
        return w
    return math.tanh(w * tree.value + walk(tree.left, w) * walk(tree.right, w))


def list_sum(xs, w):
    def step(i):
        return 0.0 if i == len(xs) else xs[i] * w + step(i + 1)

    return step(0)


print(rounded([grad(power)(1.3, n) for n in (0, 1, 5, 40)]))
print(rounded([grad(even)(0.7, n) for n in (0, 1, 4, 9)]))
print(rounded([grad(branches)(x, n) for x, n in ((0.3, 3), (2.5, 4), (0.9, 6))]))
print(rounded([grad(looped)(0.7, n) for n in (0, 1, 5)]))
print(rounded([grad(lambda x: cube(x) + cube(x * x))(x) for x in (0.5, 2.0)]))
print(rounded(grad(fold, argnums=(0, 2))([1.0, 2.0, 3.0], 0, 0.5)))
print(rounded(grad(fold)([0.1 * i for i in range(7)], 0, 0.5)))
tree = Tree(0.5, Tree(1.0, None, Tree(-0.4)), Tree(2.0, Tree(3.0)))
print(rounded([grad(walk, argnums=1)(tree, w) for w in (0.3, -0.8)]))
print(rounded(grad(list_sum, argnums=1)([0.1 * i for i in range(12)], 0.7)))
