# J11: objects and lists in arguments that are linked in other ways by the call.
from snekpy import stage


class Node:
    def __init__(self, v, next=None):
        self.v = v
        self.next = next


def values(n):
    return [] if n is None else [n.v, *values(n.next)]


def chain(*numbers):
    n = None
    for v in reversed(numbers):
        n = Node(v, n)
    return n


@stage
def swap_items(a, b):
    a[0], b[0] = b[0], a[0]


@stage
def swap(a, b):
    a.next, b.next = b.next, a.next
    a.v, b.v = b.v, a.v


@stage
def unlink(a):
    n = a.next
    a.next = n.next
    n.next = None
    return n


@stage
def forget(a):
    n = a.next
    del n.v
    a.next = n.next
    return n


@stage
def reverse(n):
    p = None
    while n is not None:
        n.next, p, n = p, n, n.next
    return p


@stage
def parent(a):
    return a.child.parent is a, a.child is a, a.child.parent.v


for i in range(4):
    a, b = [[i]], [[2]]
    swap_items(a, b)
    print(a, b)
    x, y = chain(1, i), chain(3, 4, 5)
    swap(x, y)
    print(values(x), values(y))
    x = chain(i, 2, 3, 4)
    n = unlink(x)
    print(values(x), values(n))
    n = forget(x)
    print(values(x), vars(n).keys(), values(n.next))
    print(values(reverse(chain(*range(i, 6)))))
    a = Node(i)
    a.child = Node(i)
    a.child.parent = a
    print(parent(a))
print(values(reverse(chain(*range(40)))), values(reverse(chain(*range(41)))))
G = Node(0)


@stage
def is_global(n):
    return n is G, n is n


print(is_global(Node(1)), is_global(Node(2)), is_global(G))
