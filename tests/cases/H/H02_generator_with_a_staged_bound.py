# H02: a generator that runs as far as a staged number says.
from support import show


def counting(n):
    i = 0
    while i < n:
        yield i
        i += 1


def halving(x):
    while x > 1:
        yield x
        x = x / 2 if isinstance(x, float) else x // 2


def summed(n):
    s = 0
    for i in counting(n):
        s += i * i
    return s


def nested(n, m):
    s = 0
    for i in counting(n):
        for j in counting(i + m):
            if j > i:
                break
            s = s * 2 + j
    return s


def returned_from_inside(n, wanted):
    for i in counting(n):
        if i * i >= wanted:
            return i
    return None


def built(n):
    return list(counting(n)), sum(counting(n)), [x for x in halving(n)], max(counting(n), default=-1)


def left_over(n):
    items = counting(n)
    for i in items:
        if i == 1:
            break
    return [i for i in items], next(items, "end")


show(summed, 4, 0, -1, 3.5)
show(nested, (3, 1), (3, -1), (0, 5), (2, 0))
show(returned_from_inside, (10, 17), (10, 0), (3, 100), (0, 0))
show(built, 5, 0, 4.0)
show(left_over, 4, 2, 1, 0)
