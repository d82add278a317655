# H01: a staged loop takes what a generator yields.
from support import show


def three(x):
    yield x
    if x > 0:
        yield x * 2
    yield 0.5


def up_to(n):
    for i in range(n):
        print("  makes", i)
        yield i
    print("  no more")


def summed(x):
    total = 0
    for y in three(x):
        total += y
    return total


def unknown_length(n, limit):
    total = 0
    for i in up_to(n):
        if i == limit:
            break
        total += i
    else:
        return "all", total
    return "stopped", total


def two_at_once(n):
    pairs = 0
    for a, b in zip(three(n), three(-n)):
        pairs = pairs * 10 + a - b
    return pairs


def taken_apart(x):
    first, *rest = three(x)
    return first, rest, sum(three(x)), max(three(x)), list(three(x)), tuple(three(x))


def one_by_one(x):
    items = three(x)
    a = next(items)
    b = next(items)
    c = next(items, "none")
    return a, b, c, next(items, "none")


show(summed, 3, 0, -3, 1.5)
show(unknown_length, (4, 9), (4, 2), (0, 0), (1, 0))
show(two_at_once, 3, -3, 0)
show(taken_apart, 3, -3, 0.25)
show(one_by_one, 3, -3)
