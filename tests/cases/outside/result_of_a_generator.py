# What a generator returns is in the StopIteration that `next` raises, and is what `yield from` gives.
from snekpy import stage


def gen(n):
    yield n
    return n * 5


def empty(n):
    return n, 1
    yield


@stage
def f(n):
    g = gen(n)
    first = next(g)
    try:
        next(g)
    except StopIteration as e:
        return first, e.value, e.args
    return "none"


@stage
def again(n):
    g = gen(n)
    values = [next(g)]
    for _ in range(2):
        try:
            next(g)
        except StopIteration as e:
            values.append((e.value, e.args))
    return values


@stage
def nothing(n):
    try:
        next(empty(n))
    except StopIteration as e:
        return e.value, e.args


@stage
def default(n):
    g = gen(n)
    return next(g), next(g, "default"), next(g, n)


@stage
def delegated(n):
    def outer():
        x = yield from gen(n)
        yield x
        return x + 1

    g = outer()
    a, b = next(g), next(g)
    try:
        next(g)
    except StopIteration as e:
        return a, b, e.value


@stage
def uncaught(n):
    g = gen(n)
    next(g)
    return next(g)


for n in (1, 2, 2.5):
    print(f(n), again(n), nothing(n), default(n), delegated(n))
    try:
        print(uncaught(n))
    except StopIteration as e:
        print("StopIteration", e.value, e.args)
