"""Methods of a record class: those that operators call, properties, class attributes; what native code would do."""

from dataclasses import dataclass
from typing import Optional

from snekpy import stage
from support import outcome


@dataclass(order=True)
class Node:
    v: int
    next: Optional["Node"] = None

    K = 10

    def __len__(self):
        return self.v

    def __getitem__(self, index):
        return self.v + index

    def __call__(self, x):
        return self.v * x

    def __add__(self, other):
        return self.v + (other.v if isinstance(other, Node) else other)

    __radd__ = __add__

    def __contains__(self, x):
        return x == self.v

    def __iter__(self):
        yield self.v
        if self.next is not None:
            yield from (self.next.v, 0)

    def __getattr__(self, name):
        if name == "late":
            return self.v + 0.5
        raise AttributeError(name)

    def __enter__(self):
        return self.v

    def __exit__(self, *args):
        return False

    @property
    def double(self):
        return self.v * 2

    @double.setter
    def double(self, value):
        self.v = value // 2

    @staticmethod
    def static(x):
        return x + 1

    @classmethod
    def of_class(cls, x):
        return cls.K + x

    @stage
    def staged(self, x):
        return x if self.next is None else self.next.staged(x + self.v)


def truth(n):
    return (1 if n else 2), (not n), bool(n), n and n.next


def operators(n):
    return n[2], n(5), n + n.next, n + 1, 2.5 + n, 3 in n, 4 in n, len(n)


def attributes(n):
    return n.double, n.next.double, n.static(n.v), n.of_class(n.v), n.K, n.late, type(n).K, n.__class__.__name__


def methods(n):
    bound = n.staged
    return bound(1), n.next.staged(2), Node.staged(n, 3), Node.__len__(n)


def loop(n):
    total = 0
    for x in n:
        total = total * 10 + x
    return total


def ordered(n, m):
    return n < m, n <= m, n > m, n == m, n != m


def extremes(n):
    key = lambda node: node.v
    return max(n, n.next, key=key) is n, min([n, n.next], key=key) is n, sorted([n, n.next], key=key)[0] is n


def negative(n):
    return -n


def unpacked(n):
    x, *rest = n
    return x, rest, [*n], tuple(n)


def missing(n):
    return n.nothing


def natives(n):
    return getattr(n, "v"), hasattr(n, "w"), vars(n)["v"], isinstance(n, object), callable(n), str(n), f"{n!r:>5}"


def setter(n):
    n.double = 14
    return n.v


def context(n):
    with n as value:
        return value + n.v


def fails(n):
    return n @ 2


def picked(n, which):
    node = n if which else n.next
    return node.v, node is n


def in_containers(n):
    items = [n, n.next]
    items.append(n)
    table = {"a": n}
    table["b"] = items[1]
    return len(items), items[2] is items[0], table["b"] is n.next, (n, (n,))[1][0] is n, [x.v for x in items]


calls = {
    truth: [(Node(3, Node(4)),), (Node(0),)],
    operators: [(Node(3, Node(4)),)],
    attributes: [(Node(3, Node(4)),)],
    methods: [(Node(3, Node(4)),)],
    loop: [(Node(3, Node(4)),), (Node(7),)],
    ordered: [(Node(3), Node(4)), (Node(3), Node(3))],
    extremes: [(Node(3, Node(4)),), (Node(5, Node(4)),)],
    negative: [(Node(3),)],
    unpacked: [(Node(3, Node(4)),)],
    missing: [(Node(3),)],
    natives: [(Node(3),)],
    setter: [(Node(3),)],
    context: [(Node(3),)],
    fails: [(Node(3),)],
    picked: [(Node(3, Node(4)), True), (Node(3, Node(4)), False)],
    in_containers: [(Node(3, Node(4)),)],
}
for function, arguments in calls.items():
    staged = stage(function)
    for args in arguments:
        outcome(function.__name__, function, lambda: staged(*args))
        outcome(function.__name__, function, lambda: staged(*args))
