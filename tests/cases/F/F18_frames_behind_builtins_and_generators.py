# A traceback shows every function of the program that compiled code inlined, and none of snekpy's own: `map` and
# `filter` are generators written in Python there.
import traceback

from snekpy import stage


def inverse(x):
    return 10 // (x - 2)


def inverses(xs):
    for x in xs:
        yield inverse(x)


class Model:
    def __init__(self, x):
        self.x = inverse(x)

    @property
    def half(self):
        return inverse(self.x)


@stage
def by_map(a, b):
    total = 0
    for y in map(inverse, (a, b)):
        total += y
    return total


@stage
def by_filter(a, b):
    total = 0
    for y in filter(lambda x: inverse(x) > 0, (a, b)):
        total += y
    return total


@stage
def by_generator(a, b):
    total = 0
    for y in inverses((a, b)):
        total += y
    return total


@stage
def by_init(a, b):
    return Model(a).x + b


@stage
def by_property(a, b):
    return Model(a).half + b


@stage
def by_recursion(a, b):
    return inverse(a) if a <= b else by_recursion(a - 1, b) + 1


calls = [(by_map, 1, 2), (by_filter, 3, 2), (by_generator, 1, 2), (by_init, 2, 1), (by_property, 7, 1)]
for function, a, b in [*calls, (by_recursion, 5, 2), (by_map, 3, 4), (by_property, 3, 1)]:
    try:
        print(function.__name__, function(a, b))
    except ZeroDivisionError as error:
        frames = traceback.extract_tb(error.__traceback__)[1:]
        print(function.__name__, [(frame.name, frame.lineno) for frame in frames])
