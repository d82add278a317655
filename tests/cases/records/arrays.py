# Nodes of trees and lists that hold arrays: one kind of code for all trees whose arrays are alike.
#@ reference snekpy: `snekpy.numpy` is not in CPython
from dataclasses import dataclass
from typing import Optional

import snekpy.numpy as np
from snekpy import stage, value_and_grad
from support import specialisations


def a(*shape, by=0.375):
    count = 1
    for size in shape:
        count *= size
    return (np.arange(count) * by % 1.75).reshape(shape)


@dataclass
class Tree:
    value: np.ndarray
    left: Optional["Tree"]
    right: Optional["Tree"]


@dataclass(slots=True)
class Link:
    weight: np.ndarray
    bias: np.ndarray
    scale: float
    next: Optional["Link"]


def tree(depth, k=1, size=3):
    return None if depth == 0 else Tree(a(size) * k, tree(depth - 1, 2 * k, size), tree(depth - 1, 2 * k + 1, size))


def chain(count):
    made = None
    for k in range(count):
        made = Link(a(2, 2, by=0.25 + k), a(2) - k, 0.5 * k, made)
    return made


def report(function, *calls):
    for args in calls:
        try:
            made = function(*args)
            print(function.__name__, [it.tolist() if isinstance(it, np.ndarray) else it for it in made])
        except Exception as error:
            print(function.__name__, type(error).__name__, error)


@stage
def folded(t, w):
    def fold(t):
        if t is None:
            return np.zeros(3)
        return np.tanh(t.value * w + fold(t.left) - fold(t.right))
    return fold(t), 1


report(folded, *[(tree(depth), 0.5) for depth in (1, 2, 3, 4, 2, 6)])
print(specialisations(folded) < 5)
report(folded, (tree(3, size=4), 0.5), (Tree(a(3), tree(1, size=4), None), 0.5), (Tree(a(3).astype("float32"), None, None), 0.5))
report(folded, (Tree([1.0, 2.0, 3.0], None, None), 0.5), (Tree(2.5, None, None), 0.5))


@stage
def through(link, x):
    while link is not None:
        x = np.maximum(x @ link.weight + link.bias, link.scale)
        link = link.next
    return x, x.sum()


report(through, *[(chain(count), a(4, 2)) for count in (1, 2, 3, 9, 40)])
print(specialisations(through) < 5)


# The array in a field is the very object, and what is written to it is there.
@stage
def same(t, x):
    return t.value is t.value, t.value is x, t.value is (t.left or t).value


t = tree(2)
report(same, (t, t.value), (t, a(3)), (tree(1), t.value), (Tree(t.value, Tree(t.value, None, None), None), t.value))


@stage
def written(t, v):
    while t is not None:
        t.value[0] = v
        t.value += 1
        v = float(t.value.sum())
        t = t.left
    return v, None


for depth in (1, 2, 3, 5):
    t = tree(depth)
    report(written, (t, 0.25))
    while t is not None:
        print(t.value.tolist())
        t = t.left


@stage
def longest(t):
    best = t
    while t is not None:
        if t.value.sum() > best.value.sum():
            best = t
        t = t.right or t.left
    return best.value, best.value[1]


report(longest, *[(tree(depth),) for depth in (1, 2, 3, 5)])
t = tree(3)
kept = longest(t)[0]
kept[0] = 77.0
print(t.right.right.value.tolist())


# Gradients: by what is beside a tree, and by the tree.
def loss(w, t):
    def fold(t):
        if t is None:
            return np.zeros(3)
        return np.tanh(t.value * w + fold(t.left) - fold(t.right))
    return (fold(t) ** 2).sum()


@stage
def step(w, t):
    value, slope = value_and_grad(lambda w: loss(w, t))(w)
    return w - 0.1 * slope, value


w = a(3)
for depth in (1, 2, 3, 4, 2):
    w, value = step(w, tree(depth))
    print(float(value).hex(), w.tolist())


def by_tree(t, w):
    return loss(w, t)


for depth in (1, 2, 3):
    try:
        value, slope = value_and_grad(by_tree)(tree(depth), w)
        print(float(value).hex(), slope.value.tolist(), slope.left and slope.left.value.tolist())
    except Exception as error:
        print(type(error).__name__)


@stage
def nested(t, w):
    value, slope = value_and_grad(by_tree)(t, w)
    return float(value), slope.value


report(nested, *[(tree(depth), w) for depth in (1, 2, 3)])
