# stdlib: `functools` in its Python versions, with staged numbers.
import sys

import functools as native

sys.modules.pop("functools")
sys.modules["_functools"] = None  # `functools`, imported once more, keeps what it has in Python
import functools

sys.modules["functools"] = native

from support import show


def reduced(a, b, c):
    return functools.reduce(lambda x, y: x * 10 + y, [a, b, c])


def reduced_from(start, n):
    return functools.reduce(lambda x, y: x + y, range(n), start)


def reduced_nothing(x):
    return functools.reduce(lambda a, b: a + b, [x][:0])


def three(a, b=2, *, c=3):
    return a * 100 + b * 10 + c


def bound(x, y):
    return functools.partial(three, x)(y), functools.partial(three, c=x)(y), functools.partial(three, x, c=y)()


def bound_twice(x, y):
    return functools.partial(functools.partial(three, x), y)(c=0)


def bound_wrongly(x):
    return functools.partial(three, x, 2)(3)


@functools.lru_cache(maxsize=2)
def cached(x):
    return x * x + 1


@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@functools.cache
def triangle(n):
    return n * (n + 1) // 2


def through_the_cache(x):
    return cached(x) + cached(x + 1)


def fibonacci_of(n):
    return fibonacci(n)


def triangle_of(n):
    return triangle(n)


def by_last_digit(a, b, c):
    return sorted([a, b, c], key=functools.cmp_to_key(lambda x, y: x % 10 - y % 10))


def keys_compared(a, b):
    key = functools.cmp_to_key(lambda x, y: x - y)
    return key(a) < key(b), key(a) == key(b), key(a) >= key(b)


@functools.total_ordering
class Length:
    def __init__(self, metres):
        self.metres = metres

    def __eq__(self, other):
        return self.metres == other.metres

    def __lt__(self, other):
        return self.metres < other.metres


def ordered(a, b):
    x, y = Length(a), Length(b)
    return x < y, x <= y, x == y, x != y, x >= y, x > y


@functools.singledispatch
def named(x):
    return "something"


@named.register
def _(x: int):
    return x + 1


@named.register
def _(x: float):
    return x / 2


def dispatched(x):
    return named(x)


class Scaled:
    def __init__(self, by):
        self.by = by

    def times(self, a, x):
        return self.by * a * x

    twice = functools.partialmethod(times, 2)

    @functools.cached_property
    def square(self):
        return self.by * self.by

    @functools.singledispatchmethod
    def kind(self, x):
        return "other"

    @kind.register
    def _(self, x: int):
        return self.by + x


def methods(x, y):
    scaled = Scaled(x)
    return scaled.twice(y), scaled.kind(y)


def lazily(x):
    scaled = Scaled(x)
    return scaled.square, scaled.square, "square" in vars(scaled)


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        print("calling", function.__name__)
        return function(*args)

    return wrapper


@logged
def half(x):
    return x / 2


def composed(*functions):
    return functools.reduce(lambda f, g: lambda x: g(f(x)), functions)


def pipeline(x):
    return composed(lambda v: v + 1, lambda v: v * 2, abs)(x)


show(reduced, (1, 2, 3), (0, 0, 0), (1.5, 2, -3), (-1, 9, 10))
show(reduced_from, (0, 5), (10, 0), (0.5, 3), (1, -1))
show(reduced_nothing, 1, 2.5, 0)
show(bound, (1, 2), (0, -1), (1.5, 2))
show(bound_twice, (1, 2), (0, -1), (1.5, 2))
show(bound_wrongly, 1, 2, 2.5)
show(through_the_cache, 1, 2, 1, 2.5, -1)
show(fibonacci_of, 0, 1, 10, 30, 1.5)
show(triangle_of, 0, 1, 10, 2.5, -3)
show(by_last_digit, (19, 21, 5), (3, 13, 23), (1.5, 0, 12))
show(keys_compared, (1, 2), (2, 1), (1, 1.0), (0, -0.5))
show(ordered, (1, 2), (2, 1), (1, 1.0), (0, -0.5))
show(dispatched, 1, 2.5, True, "text")
show(methods, (1, 2), (0, 2), (1.5, -2), (3, 0.5))
show(lazily, 1, 2.5, 0)
show(half, 1, 2.5, 0)
show(pipeline, 1, -2.5, 0)

# The wrappers themselves, staged.
show(fibonacci.__wrapped__, 0, 1, 10)
show(named.dispatch(int), 1, 2, 5)
