# Weak references that are made in the middle of a call, to objects that compiled code has had: where the call goes on as
# plain Python, variables hold what they hold there, those that nobody looks at again too, and nothing else holds it.
#@ reference snekpy: CPython 3.11 holds the arguments of a call with a star until it returns

import weakref

from snekpy import stage


class P:
    def __init__(self, x, next=None):
        self.x = x
        self.next = next

    def __repr__(self):
        return f"P({self.x})"


def watch(object, log, what):
    log.append(weakref.ref(object, lambda _: log.append(what)))


def points(count):
    return [P(i) for i in range(count)]


def linked(count):
    head = None
    for i in range(count):
        head = P(i, head)
    return head


@stage
def rebound(ps, log):
    total = 0
    for i in range(len(ps)):
        p = ps[i]
        total += p.x
        if i == 7:
            watch(p, log, "the seventh ends")
            p = None
            ps[7] = ps[0]
            log.append("behind it")
    return total


@stage
def argument(p, n, log):
    total = 0
    for i in range(n):
        total += p.x * i
    watch(p, log, "the argument ends")
    p = P(1)
    log.append("behind it")
    for i in range(n):
        total += p.x * i
    return total


@stage
def unused_argument(p, n, log):
    total = 0
    for i in range(n):
        total += p.x * i
    q = p.next
    watch(q, log, "what the argument holds ends")
    q.next.next = None
    q = None
    log.append("behind it")
    return total


@stage
def unused_variable(ps, log):
    total = 0
    for p in ps:
        total += p.x
    q = ps.pop()
    watch(q, log, "the last ends")
    del q
    log.append("behind it")
    return total


@stage
def assigned_again(ps, log):
    total = 0
    for p in ps:
        total += p.x
    for q in ps:
        watch(q, log, q.x)
    q = None
    ps.clear()
    log.append("cleared")
    p = total
    log.append("assigned")
    return p


@stage
def unbound(ps, log):
    total = 0
    for p in ps:
        total += p.x
    del p
    for q in ps:
        watch(q, log, q.x)
    del q
    ps.clear()
    log.append("cleared")
    return total


@stage
def number_since(ps, log):
    total = 0
    for p in ps:
        total += p.x
    for p in range(3):
        total += p
    watch(ps[-1], log, "the last ends")
    ps.clear()
    log.append("cleared")
    return total


@stage
def in_a_comprehension(ps, log):
    total = 0
    for p in ps:
        total += p.x
    total += sum([p.x + 1 for p in ps])
    for q in ps:
        watch(q, log, q.x)
    q = 0
    ps.clear()
    log.append("cleared")
    return total


@stage
def in_callees(ps, log):
    def last(items):
        number = 0
        for item in items:
            number += item.x
        watch(items[-1], log, "the last ends")
        items.clear()
        log.append("cleared")
        return number

    total = 0
    for p in ps:
        total += p.x
    total += last(ps)
    log.append("returned")
    return total


@stage
def followed(head, log):
    total = 0
    p = head
    while p.next is not None:
        total += p.x
        p = p.next
    last = head
    while last.next is not None:
        before = last
        last = last.next
    watch(last, log, "the last ends")
    before.next = None
    del last
    log.append("behind it")
    return total


@stage
def again_and_again(ps, log):
    total = 0
    for i in range(len(ps)):
        p = ps[i]
        for _ in range(20):
            total += p.x
        watch(p, log, i)
        ps[i] = None
        log.append(f"dropped {i}")
    return total


@stage
def raised(ps, log):
    total = 0
    try:
        for p in ps:
            total += 100 // p.x
    except ZeroDivisionError:
        watch(ps[-1], log, "the last ends")
        ps.clear()
        log.append("cleared")
    return total


@stage
def past_64_bits(ps, log):
    total = 1
    for p in ps:
        total *= p.x + 1000
    watch(ps[0], log, "the first ends")
    watch(ps[-1], log, "the last ends")
    ps.clear()
    log.append("cleared")
    return total


@stage
def two_places(ps, log):
    total = 0
    for i in range(len(ps)):
        if i % 2:
            p = ps[i]
        else:
            p = ps[-1 - i]
        total += p.x
    watch(ps[0], log, "the first ends")
    watch(ps[-1], log, "the last ends")
    ps.clear()
    log.append("cleared")
    return total


@stage
def kept_by_a_cache(n):
    cache = weakref.WeakValueDictionary()
    held = []
    total = 0
    for i in range(n):
        p = P(i)
        cache[i] = p
        if i % 2:
            held.append(p)
        total += p.x
    return total, sorted(cache.keys())


def show(function, *makers):
    for _ in range(3):
        log = []
        result = function(*(make() for make in makers), log)
        print(function.__name__, result, [it for it in log if not isinstance(it, weakref.ref)])


for function in (rebound, unused_variable, assigned_again, unbound, number_since, in_a_comprehension, in_callees):
    show(function, lambda: points(10))
for function in (again_and_again, two_places, past_64_bits):
    show(function, lambda: points(9))
show(raised, lambda: points(8)[::-1])
show(argument, lambda: P(3), lambda: 30)
show(unused_argument, lambda: linked(4), lambda: 30)
show(followed, lambda: linked(9))
for _ in range(3):
    print("kept_by_a_cache", kept_by_a_cache(9))


@stage
def made_in_a_list(n, log):
    ps = []
    for i in range(n):
        p = P(i)
        ps.append(p)
    for q in ps:
        watch(q, log, q.x)
    q = None
    ps.clear()
    log.append("cleared")
    return n


@stage
def made_in_a_chain(n, log):
    head = None
    for i in range(n):
        p = P(i, head)
        head = p
    watch(head, log, "the head ends")
    head = head.next
    log.append("behind it")
    p = 0
    log.append("assigned")
    return head.x


@stage
def made_beside_a_comprehension(n, log):
    ps = []
    total = 0
    for i in range(n):
        p = P(i)
        ps.append(p)
    for q in range(3):
        total += sum([p.x for p in ps])
    log.extend([weakref.ref(p, lambda _: log.append("one ends")) for p in ps])
    ps.clear()
    log.append("cleared")
    return total


@stage
def made_and_unbound(n, log):
    ps = []
    for i in range(n):
        p = P(i)
        ps.append(p)
    del p
    for q in ps:
        watch(q, log, q.x)
    del q
    ps.clear()
    log.append("cleared")
    return n


for function in (made_in_a_list, made_in_a_chain, made_beside_a_comprehension, made_and_unbound):
    show(function, lambda: 30)
