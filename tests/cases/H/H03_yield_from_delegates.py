# H03: `yield from` in staged code: items, what the inner generator returns, recursion, exceptions, generators that leave.
import traceback

from support import show, stage

BIG = 2**62


def counted(n):
    for i in range(n):
        yield i
    return n * 2


def mixed(n):
    r = yield from counted(n)
    yield r
    yield from [n, n + 1]
    x = yield from ()
    yield x
    yield from (i * n for i in range(3))
    return 5


def listed(n):
    return list(mixed(n))


def looped(n):
    total = 0
    for x in mixed(n):
        if x is None:
            continue
        total += x * n
    return total


def only(n):
    yield from counted(n)


def long(n):
    total = 0
    for x in only(n):
        total += x
    return total


def walk(tree):
    if tree is None:
        return
    left, value, right = tree
    yield from walk(left)
    yield value
    yield from walk(right)


TREE = (None, 1, None), 2, ((None, 3, None), 4, None)


def of_a_tree(k):
    return [value * k for value in walk(TREE)]


def few(n):
    yield from (1, n)
    return n


def some(n):
    last = yield from few(n)
    yield last


def past_64_bits(n):
    print("begin")
    return sum(x * n for x in some(n))


def divided(n):
    for i in range(n):
        yield 10 // (3 - i)


def caught(n):
    try:
        yield from divided(n)
    except ZeroDivisionError as error:
        yield -1
        yield [it.name for it in traceback.extract_tb(error.__traceback__)]


def not_caught(n):
    yield (yield from divided(n))


def collected(n):
    return [x for x in caught(n)]


def raised(n):
    return [x for x in not_caught(n)]


def over_anything(xs):
    yield from xs


def of_anything(xs):
    return [x for x in over_anything(xs)]


def adding(n):
    got = 0
    while True:
        got = yield n + (got or 0)
        if got == 7:
            return "seven"


def adding_twice(n):
    r = yield from adding(n)
    yield r
    try:
        yield from adding(n * 2)
    except ValueError as error:
        yield str(error)


def begun(n):
    items = adding_twice(n)
    next(items)
    return items


show(listed, 0, 4)
show(looped, 0, 4, 1000)
show(long, 0, 1000)
show(of_a_tree, 3, 0.5)
show(past_64_bits, 3, BIG)
show(collected, 2, 5)
show(raised, 2, 5)
for xs in ([1, 2], (3,), "ab", 5, {1: 2}):
    show(of_anything, (xs,))

begun = stage(begun)
items = begun(10)
print(next(items), items.send(3), items.send(7), next(items), items.gi_yieldfrom.__name__)
print(items.throw(ValueError("thrown")))
items = begun(10)
try:
    items.throw(KeyError("thrown"))
except KeyError as error:
    print([(it.name, it.lineno) for it in traceback.extract_tb(error.__traceback__)[1:]])
items = begun(10)
items.close()
print(list(items), begun(10).gi_yieldfrom.__name__)
