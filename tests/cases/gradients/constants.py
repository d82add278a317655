# The derivative of a constant has the shape of the argument, however long that is.
from dataclasses import dataclass
from typing import Optional

from snekpy import grad, jacrev, value_and_grad
from support import rounded


@dataclass
class Node:
    value: float
    next: Optional["Node"] = None


def sometimes(xs, k):
    if k > 1.0:
        return 1.0
    total = 0.0
    for x in xs:
        total += x * x
    return total


one = grad(lambda xs: 1.0)
print([len(one([1.0] * n)) for n in (1, 2, 3, 100, 500)], set(one([1.0] * 500)))
print(rounded(grad(lambda node: 2.0)(Node(1.0, Node(2.0)))))
print(value_and_grad(lambda xs, n: 2.0)([3.0] * 300, 4) == (2.0, [0.0] * 300))
for n in 2, 3, 4, 400:
    rows = jacrev(lambda xs: (1.0, sum(xs, 0.0)))([1.0] * n)
    print([len(row) for row in rows], rounded(rows[0][0]), rounded(rows[1][-1]))
for k in 2.0, 0.0:
    found = grad(sometimes)([1.0] * 300, k)
    print(len(found), rounded(found[:2]))
print(len(grad(lambda d: 1.0)({i: 1.0 for i in range(300)})))
