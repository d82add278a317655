# Dataclasses and trees, dicts, closures, defaults, matching, nested functions that are made anew.
import sys
import types
from dataclasses import dataclass

# What is annotated in quotes is looked up in the module, and a script has none.
sys.modules.setdefault("__main__", types.ModuleType("__main__"))


@dataclass
class Node:
    value: float
    left: "Node | None" = None
    right: "Node | None" = None


def build(depth, value):
    if depth == 0:
        return None
    return Node(value, build(depth - 1, value * 2), build(depth - 1, value * 2 + 1))


@stage
def total(node):
    if node is None:
        return 0.0
    return node.value + total(node.left) + total(node.right)


@stage
def counts(n):
    seen = {"even": 0, "odd": 0}
    for i in range(n):
        key = "even" if i % 2 == 0 else "odd"
        seen[key] += 1

        def weigh(x, by=i):
            return sum(x * k for k in (1, 2, by))

        seen[key] += weigh(2)
    return seen


@stage
def classify(n):
    out = []
    for i in range(n):
        match i:
            case 0:
                out.append("zero")
            case k if k % 2:
                out.append("odd")
            case _:
                out.append("other")
    return out


@stage
def collatz(n):
    longest, at = 0, 0
    for start in range(1, n):
        k, steps = start, 0
        while k != 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
            if steps > 50:
                break
        else:
            if steps > longest:
                longest, at = steps, start
    return longest, at


def main():
    out = []
    out.append(total(build(3, 1.0)))
    out.append(counts(3))
    out.append(classify(4))
    out.append(collatz(7))
    return out
