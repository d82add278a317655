# Loops and builtins over objects of classes with `__iter__` and `__next__`, `__getattr__`, and the builtins that
# call methods. Strict: all of it is compiled.
from support import show


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        yield self.x
        yield self.y


class Squares:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))

    def __len__(self):
        return self.n


class Anything:
    def __getattr__(self, name):
        if name == "missing":
            raise AttributeError(name)
        return len(name)


class Watched:
    def __setattr__(self, name, value):
        log.append(name)


log = []


def looped(n):
    total = 0
    for i in Countdown(n):
        if i == 1:
            continue
        total = total * 10 + i
    else:
        total += 1000
    return total


def left_early(n):
    it = Countdown(n)
    for i in it:
        if i == 2:
            break
    return it.n, next(it, -1), next(it, -1), next(it, -1), next(it, -1)


def collected(n):
    return list(Countdown(n)), sum(Countdown(n)), [i * i for i in Countdown(n)], any(Countdown(n))


def pairs(x):
    total = 0
    for item in Pair(x, 2):
        total = total * 10 + item
    return total, [i for i in Pair(1, x)], sum(Pair(x, x))


def lengths(n):
    return len(Squares(n)), bool(Squares(n)), [i for i in Squares(n)]


def negative(n):
    return len(Squares(n - 10))


def attributes(n):
    thing = Anything()
    thing.own = n
    return thing.own, thing.abc + n, getattr(thing, "four", 0)


def missing(n):
    return Anything().missing + n


def caught(n):
    try:
        return Anything().missing + n
    except AttributeError as error:
        return str(error), n


def first(n):
    return next(i for i in range(n, n + 5) if i % 3 == 0), next((i for i in range(n) if i > 100), None)


def ended(n):
    it = Countdown(n)
    found = []
    while True:
        try:
            found.append(next(it))
        except StopIteration:
            return found


for function in (looped, left_early, collected, lengths, first, ended):
    show(function, 3, 0, 5, strict=True)
show(pairs, 3, 4, strict=True)
show(negative, 12, 3, strict=True)
show(attributes, 3)
show(missing, 3, strict=True)
show(caught, 3, strict=True)
