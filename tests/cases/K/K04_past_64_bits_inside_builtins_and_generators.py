# K04: after an effect, ints past 64 bits inside builtins that are loops, in generators and in methods that Python calls.
import traceback
from functools import reduce

from support import run, show, stage

BIG = 2**62


def summed(xs, n):
    print("begin")
    return sum(xs) + n


def products(xs, n):
    print("begin")
    return sum(x * n for x in xs), max(x * n for x in xs), [x * n for x in xs]


def reduced(xs, n):
    print("begin")
    return reduce(lambda a, b: a * b + n, xs)


def mapped(xs, n):
    print("begin")
    return sum(map(lambda x: x * n, xs)), list(map(lambda x: x + n, xs))


def loop_over_map(xs, n):
    print("begin")
    found = []
    for y in map(lambda x: x * n // (x - 5), xs):
        found.append(y)
    return found


def loop_over_generator(xs, n):
    print("begin")
    k, found = 0, []
    for i, y in enumerate(x * n + k for x in xs):
        found.append((i, y))
        k += 1
    return found, k


def told(xs, n):
    for x in xs:
        got = yield x * n
        print("got", got)


def drawn_on(xs, n):
    print("begin")
    items = told(xs, n)
    total = 0
    for y in items:
        total += y
        if total > 4 * BIG:
            break
    return total, next(items, None), list(items), type(items).__name__


def nested(xs, n):
    print("begin")

    def sums():
        for x in xs:
            yield sum(x * y for y in xs)

    found = []
    for v in sums():
        found.append(v + n)
    return found


class Multiples:
    def __init__(self, n, bad):
        self.n, self.bad, self.k = n, bad, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.k += 1
        if self.k == self.bad:
            raise ValueError(f"no {self.k}")
        if self.k > 5:
            raise StopIteration
        return self.k * self.n


def over_objects(n, bad):
    print("begin")
    total = 0
    for x in Multiples(n, bad):
        total += x
    else:
        total += 1
    return total


def caught(n, bad):
    print("begin")
    found = []
    for i in range(n):
        try:
            for x in Multiples(n << i, bad):
                found.append(x * x)
        except ValueError as error:
            places = traceback.extract_tb(error.__traceback__)
            found.append((str(error), [(it.name, it.lineno) for it in places]))
    return found


class Squared:
    def __init__(self, n):
        self._n = n

    @property
    def n(self):
        return self._n

    @n.setter
    def n(self, value):
        self._n = value * value


def set_by_property(n, k):
    print("begin")
    it = Squared(n)
    it.n = k
    it.n = it.n + 1
    return it.n


def places(function, *args):
    """The places of the program in the traceback."""
    try:
        stage(function)(*args)
    except Exception as error:
        print(type(error).__name__, [(it.name, it.lineno) for it in traceback.extract_tb(error.__traceback__)[1:]])


for function in (summed, products, loop_over_generator, drawn_on, nested):
    show(function, ([1, 2, 3], 3), ([BIG, 1, BIG], 3), ([BIG // 3] * 10, 3), ((1, BIG), BIG))
for function in (mapped, loop_over_map, reduced):
    show(function, ([1, 2, 3], 3), ([BIG, 1, BIG], 3), ([BIG, 1, 5, 4], 3))
    places(function, [BIG, 1, 5, 4], 3)
show(over_objects, (3, 0), (BIG, 0), (2, 3), (BIG, 5), (BIG * 2 // 6, 0))
show(caught, (3, 3), (33, 9), (40, 4))
show(set_by_property, (3, 4), (3, 2**33))
