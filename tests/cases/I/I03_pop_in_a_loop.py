# I03: a loop takes items off a list.
from support import show


def all_of_it(a, b, c):
    l = [a, b, c]
    s = 0
    while l:
        s = s * 10 + l.pop()
    return s, l


def as_many_as(l, n):
    s = 0
    for _ in range(n):
        s = s * 2 + l.pop()
    return s


def until_found(l, wanted):
    while l:
        if l.pop(0) == wanted:
            return len(l)
    return "not there"


def stack(x):
    work = [x]
    seen = 0
    while work:
        v = work.pop()
        seen += 1
        if v > 1:
            work.append(v // 2)
            work.append(v - 2)
    return seen


show(all_of_it, (1, 2, 3), (0.5, 2, 3))
show(as_many_as, ([1, 2, 3], 2), ([1, 2, 3], 0), ([1, 2, 3], 3), ([1, 2], 3), ([0.5, 2], 1))
show(until_found, ([1, 2, 3], 2), ([1, 2, 3], 1), ([1, 2, 3], 9), ([], 1))
show(stack, 5, 1, 8)
