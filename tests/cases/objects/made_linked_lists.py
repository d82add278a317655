# Linked lists that staged code makes: rows of pools where a loop makes them, objects again where they leave.
from snekpy import stage


class Node:
    def __init__(self, v, nxt):
        self.v = v
        self.nxt = nxt


class Both:
    """Doubly linked: tells its neighbour while it is made."""

    def __init__(self, v, prev):
        self.v = v
        self.prev = prev
        self.next = None
        if prev is not None:
            prev.next = self


@stage
def build(n):
    head = None
    for i in range(n):
        head = Node(i * 2, head)
    return head


def show(p, most=8):
    seen = []
    items = []
    while p is not None and len(items) < most:
        if any(p is it for it in seen):
            items.append("again")
            break
        seen.append(p)
        items.append(sorted(vars(p))[:1] and p.v)
        p = p.nxt
    return items


for n in (0, 1, 2, 5, 40):
    p = build(n)
    print(n, show(p), p and list(vars(p)))


@stage
def total(n):
    head = None
    for i in range(n):
        head = Node(i * 2, head)
    t = 0
    p = head
    while p is not None:
        t += p.v
        p = p.nxt
    return t


print([total(n) for n in (0, 1, 7, 1000)])


@stage
def reverse(n):
    head = None
    for i in range(n):
        head = Node(i, head)
    prev = None
    while head is not None:
        nxt = head.nxt
        head.nxt = prev
        prev = head
        head = nxt
    out = []
    while prev is not None:
        out.append(prev.v)
        prev = prev.nxt
    return out


print(reverse(0), reverse(1), reverse(9))


@stage
def ring(n):
    first = Node(0, None)
    last = first
    for i in range(1, n):
        last.nxt = Node(i, None)
        last = last.nxt
    last.nxt = first
    t = 0
    p = first
    for _ in range(3 * n):
        t = t * 3 % 1000003 + p.v
        p = p.nxt
    return t, first, last is first, p is first


t, first, same, back = ring(5)
print(t, show(first), same, back)
t, first, same, back = ring(1)
print(t, show(first), same, back)


@stage
def doubly(n):
    first = None
    last = None
    for i in range(n):
        last = Both(i, last)
        if first is None:
            first = last
    there = []
    p = first
    while p is not None:
        there.append(p.v)
        p = p.next
    while last is not None:
        there.append(last.v)
        last = last.prev
    return there


print(doubly(0), doubly(1), doubly(6))


@stage
def shared(n):
    tail = Node(-1, None)
    a = tail
    b = tail
    for i in range(n):
        if i % 2 == 0:
            a = Node(i, a)
        else:
            b = Node(i, b)
    tail.v = 100
    return a, b, tail


a, b, tail = shared(6)
print(show(a), show(b), tail.v)
while a.nxt is not None:
    a = a.nxt
while b.nxt is not None:
    b = b.nxt
print(a is b, a is tail)


@stage
def overflow(n):
    head = Node(1, None)
    for i in range(n):
        head = Node(head.v * 3, head)
    t = 0
    while head is not None:
        t += head.v
        head = head.nxt
    return t


print(overflow(3), overflow(60))


@stage
def becomes_float(n):
    head = None
    for i in range(n):
        head = Node(i if i < 5 else i * 0.5, head)
    t = []
    while head is not None:
        t.append(head.v)
        head = head.nxt
    return t


print(becomes_float(3), becomes_float(8))


@stage
def may_be_none(n):
    head = None
    for i in range(n):
        head = Node(None if i % 3 == 0 else i, head)
    nones, t = 0, 0
    while head is not None:
        if head.v is None:
            nones += 1
        else:
            t += head.v
        head = head.nxt
    return nones, t


print(may_be_none(0), may_be_none(10))


@stage
def raises(n, stop):
    head = None
    try:
        for i in range(n):
            head = Node(10 // (stop - i), head)
    except ZeroDivisionError as error:
        return type(error).__name__, head
    return "fine", head


for n, stop in ((4, 9), (9, 4), (3, 0)):
    how, head = raises(n, stop)
    print(how, show(head))


@stage
def missing(n):
    head = Node(0, None)
    for i in range(n):
        head = Node(i, head)
    try:
        return head.nothing
    except AttributeError as error:
        return str(error)


print(missing(4))


@stage
def later(n):
    head = Node(0, None)
    for i in range(n):
        head = Node(i, head)
    head.tag = n
    return head


it = later(4)
print(show(it), vars(it).keys(), it.tag)


@stage
def deleted(n):
    head = Node(0, None)
    for i in range(n):
        head = Node(i, head)
    del head.v
    return head


it = deleted(4)
print(list(vars(it)), show(it.nxt))


@stage
def known_otherwise(n):
    head = Node(0, None)
    for i in range(n):
        head = Node(i, head)
    return hash(head) == hash(head), id(head) == id(head), head in {head}, isinstance(head, Node), type(head) is Node


print(known_otherwise(4))
WORLD = []
TABLE = {}


@stage
def stored(n):
    head = None
    for i in range(n):
        head = Node(i, head)
        if i == 2:
            WORLD.append(head)
    TABLE["head"] = head
    return head


it = stored(6)
print(show(it), show(WORLD[0]), it.nxt.nxt.nxt is WORLD[0], TABLE["head"] is it)
