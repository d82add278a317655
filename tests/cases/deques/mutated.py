# Iteration over deques that change meanwhile.
#@ reference snekpy: what deques of RustPython count as a change
from collections import deque

from support import show


def while_iterated(n, what):
    q = deque(range(n))
    out = []
    for x in q:
        out.append(x)
        if x == n // 2:
            if what == 0:
                q.append(1)
            elif what == 1:
                q.appendleft(1)
            elif what == 2:
                q.pop()
            elif what == 3:
                q.popleft()
            elif what == 4:
                q.clear()
            elif what == 5:
                q[0] = 5
            elif what == 6:
                q.rotate(0)
            elif what == 7:
                q.extend([])
            elif what == 8:
                q.append(q.popleft())
            elif what == 9:
                q.extendleft((1,))
    return out, q


def caught(n):
    q = deque(range(n))
    seen = 0
    try:
        for x in q:
            seen += x
            if x > 3:
                q.append(x)
    except RuntimeError as error:
        return str(error), seen, q
    return seen, q


def broken_off(n):
    q = deque()
    for i in range(n):
        q.append(i)
        for x in q:
            if x * 2 > i:
                q.append(x)
                break
        if len(q) > 6:
            q.popleft()
    return q


def nested(n):
    q = deque(range(n))
    total = 0
    for a in q:
        for b in q:
            total += a * b
            if total == 35:
                q.append(9)
                break
    return total


def kept(n):
    q = deque()
    it = iter(q)
    for i in range(n):
        q.append(i)
    other = iter(q)
    first = next(other, None)
    return first, it, other


def two_iterators(n):
    q = deque()
    for i in range(n):
        q.append(i)
    a = iter(q)
    out = [next(a)]
    q.append(0)
    b = iter(q)
    for i in range(2):
        out.append(next(b))
    try:
        next(a)
    except RuntimeError as error:
        out.append(str(error))
    return out, next(b), list(b)


def after(n):
    first, it, other = kept(n)
    out = [first]
    for iterator in (it, other):
        try:
            out.append(list(iterator))
        except RuntimeError as error:
            out.append(str(error))
    return out


def from_outside(n):
    return leaves(n)


def leaves(n):
    q = deque()
    for i in range(n):
        q.append(i)
    out = []
    for x in q:
        if x == 2:
            print("in the middle", len(q))
        out.append(x)
    try:
        for x in q:
            if x == 1:
                q.popleft()
                print("changed")
            out.append(x)
    except RuntimeError as error:
        out.append(str(error))
    return out


def empty_pop(n):
    q = deque(range(n))
    it = iter(q)
    while True:
        try:
            q.popleft()
        except IndexError:
            break
    try:
        next(it)
    except RuntimeError as error:
        return str(error)
    except StopIteration:
        return "at its end"


show(while_iterated, *[(n, what) for n in (1, 5, 30) for what in range(11)])
show(caught, 0, 3, 4, 5, 40)
show(broken_off, 0, 1, 5, 40)
show(nested, 0, 3, 8)
show(two_iterators, 2, 20)
show(after, 0, 3, 30)
show(from_outside, 1, 3, 20)
show(empty_pop, 0, 1, 9)
