"""Objects that are not what their class declares, and objects that are reached in another way, too."""

from dataclasses import dataclass
from typing import Optional

from snekpy import stage
from support import outcome, specialisations


@dataclass(eq=False)
class Node:
    value: float
    next: Optional["Node"] = None

    def weight(self):
        return self.value


class Heavy(Node):
    def weight(self):
        return self.value * 100


@dataclass(eq=False)
class Named(Node):
    name: str = "?"


def weigh(node):
    total = 0
    while node is not None:
        total = total + node.weight()
        node = node.next
    return total


def chain(*values):
    head = None
    for value in reversed(values):
        head = Node(value, head)
    return head


f = stage(weigh)
good = chain(1.0, 2.5)
print(f(good), f(chain(0.25, 0.5, 4.0)), specialisations(f))
print(f(chain(1.0, 2)), f(chain(True, 2.0)), f(chain(2**70)), f(good))
outcome("text", weigh, lambda: f(chain(1.0, "x")))
outcome("missing", weigh, lambda: f(chain(1.0, None)))
print(f(Node(1.0, Heavy(2.0))), f(Heavy(1.0, Node(3.0))), f(Named(1.5)), f(Node(1.0, Named(2.0, None, "n"))), f(good))
extra = chain(1.0, 2.0)
extra.next.weight = lambda: 1000.0
print(f(extra), f(good))
del extra.next.weight
print(f(extra))
del extra.next.next
outcome("deleted", weigh, lambda: f(extra))
good.next.__class__ = Heavy
print(f(good))
good.next.__class__ = Node
print(f(good))
good.next.next = 7
outcome("no node", weigh, lambda: f(good))
good.next.next = None

# The class changes.
Node.weight = lambda self: -self.value
print(f(good), f(chain(4.0)))
Node.value = property(lambda self: 50.0, lambda self, value: None)
print(f(good), f(chain(4.0)))
del Node.value
print(f(good), f(None))

# Objects that staged code changes by another way, and finds among the records.
ROOT = chain(1.0, 2.0, 3.0)
ATTRIBUTES = ROOT.next.__dict__


def by_name(node):
    ROOT.next.value = node.value + 1.0
    return node.value, ROOT.next.value


def and_back(node):
    before = ROOT.next.value
    ROOT.next.value = 77.0
    seen = node.value
    ROOT.next.value = before
    return seen


def by_dict(node):
    ATTRIBUTES["value"] = 123.0
    return node.value


def by_argument(node, attributes):
    attributes["value"] = 55.0
    return node.value


class Box:
    def __init__(self):
        self.value = 1.0


def by_object(node, box):
    box.value = 9.0
    return node.value


def read_twice(node):
    return node.value + ROOT.value + ROOT.next.value, node is ROOT, node is ROOT.next


odd = Box()
odd.__dict__ = ROOT.next.next.__dict__
calls = [
    (by_name, [(good,), (ROOT,), (ROOT.next,), (good,)]),
    (and_back, [(good,), (ROOT.next,), (ROOT,), (good,)]),
    (by_dict, [(good,), (ROOT.next,), (ROOT,)]),
    (by_argument, [(good, {"value": 2.0}), (ROOT.next, ATTRIBUTES), (ROOT, {"value": 2.0}), (ROOT, ATTRIBUTES)]),
    (by_object, [(good, Box()), (good, Box()), (good, odd), (ROOT.next.next, odd), (good, Box())]),
    (read_twice, [(good,), (ROOT,), (ROOT.next,)]),
]
for function, arguments in calls:
    staged = stage(function)
    for args in arguments:
        ROOT.value, ROOT.next.value, ROOT.next.next.value = 1.0, 2.0, 3.0
        print(function.__name__, staged(*args), ROOT.value, ROOT.next.value, ROOT.next.next.value)


def static(node, known):
    known.value = 31.0
    return node.value


staged = stage(static, static=("known",))
for args in ((good, ROOT), (ROOT, ROOT), (good, good)):
    print(staged(*args))
