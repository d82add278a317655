# H03: a generator that has begun in staged code leaves it, and goes on like any other.
import traceback

from support import show, stage


def told(xs, n):
    for x in xs:
        got = yield x * n
        if got is not None:
            print("got", got)


def begun(xs, n):
    items = told(xs, n)
    total = 0
    for y in items:
        total += y
        if total > 5 * n:
            break
    return items


def pair(xs, n):
    items = told(xs, n)
    first = next(items)
    return first, items, [items, n]


def never_begun(xs, n):
    return told(xs, n)


def ended(xs, n):
    items = told(xs, n)
    return sum(items), items


def over_itself(n):
    def counting():
        k = n
        while True:
            yield k, total
            k += 1

    total = 0
    items = counting()
    for k, _ in items:
        total += k
        if total > 20:
            return items, total


XS = [1, 2, 3, 4, 5, 6, 7, 8]
for function in (begun, never_begun):
    items = stage(function)(XS, 3)
    print(type(items).__name__, items.__name__, items.__qualname__)
    print(next(items), items.send(5 if function is begun else None), list(items), list(items))
    items = stage(function)(XS, 3)
    try:
        next(items)
        items.throw(ValueError("thrown"))
    except ValueError as error:
        print([(it.name, it.lineno) for it in traceback.extract_tb(error.__traceback__)[1:]])
    print(next(items, "ended"))
    items = stage(function)(XS, 3)
    items.close()
    print(next(items, "closed"))

first, items, (same, n) = stage(pair)(XS, 3)
print(first, items is same, n, next(items), list(same))
total, items = stage(ended)(XS, 3)
print(total, type(items).__name__, list(items))
items, total = stage(over_itself)(4)
print(next(items), next(items), total)
