"""Linked lists, doubly linked lists and rings go to compiled loops, whatever their length."""

import sys
from dataclasses import dataclass
from typing import Optional

from snekpy import stage
from support import outcome, specialisations


@dataclass
class Cell:
    value: int
    next: "Cell | None" = None


@dataclass(eq=False)
class Link:
    weight: float
    before: Optional["Link"] = None
    after: Optional["Link"] = None


def linked(values):
    head = None
    for value in reversed(values):
        head = Cell(value, head)
    return head


def total(cell):
    total = 0
    while cell is not None:
        total += cell.value
        cell = cell.next
    return total


def at(cell, index):
    while index > 0:
        cell = cell.next
        if cell is None:
            raise IndexError("the list has ended")
        index -= 1
    return cell


def largest(cell):
    best = cell
    while cell := cell.next:
        if cell.value > best.value:
            best = cell
    return best


def length(cell):
    return 0 if cell is None else 1 + length(cell.next)


def zigzag(link, steps):
    """To and fro in a doubly linked list."""
    sum = 0.0
    forth = True
    for _ in range(steps):
        sum += link.weight
        next = link.after if forth else link.before
        if next is None:
            forth = not forth
        else:
            link = next
    return sum, link


def meets(a, b):
    """Whether two lists end in the same cells."""
    while a is not None:
        c = b
        while c is not None:
            if a is c:
                return a
            c = c.next
        a = a.next
    return None


sums, item, best, rec = (stage(f, strict=True) for f in (total, at, largest, length))
cells = linked([3, 1, 4, 1, 5, 9, 2, 6])
print(sums(cells), [sums(linked(list(range(n)))) for n in range(6)], sums(None))
print([item(cells, k).value for k in range(8)], item(cells, 2) is cells.next.next)
outcome("at", at, lambda: item(cells, 8))
print(best(cells).value, best(linked([7])).value, best(cells) is largest(cells))
print(rec(cells), rec(linked([0] * 50)), rec(None))

# A long one: no call is nested in a loop, and a recursion over it is too deep, as in Python.
long = linked(list(range(100_000)))
print(sums(long), item(long, 99_999).value)
sys.setrecursionlimit(2000)
try:
    print(rec(long))
except RecursionError:
    print("RecursionError")

links = [Link(float(k)) for k in range(5)]
for a, b in zip(links, links[1:]):
    a.after, b.before = b, a
both = stage(zigzag, strict=True)
for steps in (1, 5, 9, 23, 10_000):
    sum, link = both(links[2], steps)
    print(steps, sum, links.index(link), (sum, link) == zigzag(links[2], steps))

ring = linked([1, 2, 3])
ring.next.next.next = ring
print(item(ring, 300_001).value, item(ring, 300_001) is ring.next)

meet = stage(meets, strict=True)
tail = linked([8, 9])
a, b = Cell(1, Cell(2, tail)), Cell(3, tail)
print(meet(a, b) is tail, meet(a, cells), meet(a, a) is a, meet(None, b))
print([specialisations(f) <= 2 for f in (sums, item, best, rec, both)], specialisations(meet) <= 4)
