# H03: `yield from`, what is sent into a generator, what it returns, and what is thrown into it.
from support import show


def inner(x):
    got = yield x
    if got is None:
        got = -1
    yield got * 2
    return got + x


def outer(x):
    result = yield from inner(x)
    yield result
    yield from (x, 0.5)
    return "done"


def all_of_it(x):
    return list(outer(x))


def sent(x, y):
    items = outer(x)
    return next(items), items.send(y), next(items), next(items)


def returned(x):
    items = inner(x)
    next(items)
    items.send(x)
    try:
        next(items)
    except StopIteration as stop:
        return stop.value
    return "no end"


def running_mean():
    total = count = 0
    while True:
        x = yield total / count if count else None
        total += x
        count += 1


def means(n):
    mean = running_mean()
    last = next(mean)
    for i in range(n):
        last = mean.send(i)
    return last


def guarded(x):
    try:
        yield x
        yield x + 1
    except ValueError as error:
        yield error.args
    finally:
        print("  finally", x)


def thrown(x):
    items = guarded(x)
    first = next(items)
    if x > 0:
        second = items.throw(ValueError("in", x))
    else:
        second = next(items)
    items.close()
    return first, second, list(items)


def not_caught(x):
    items = guarded(x)
    next(items)
    if x > 0:
        items.throw(KeyError(x))
    return x


show(all_of_it, 3, 1.5)
show(sent, (3, 4), (3, None), (0.5, 2))
show(returned, 3, 0.5)
show(means, 4, 1, 0)
show(thrown, 3, -3)
show(not_caught, -3, 3)
