# `@stage` above a cache: the cache is what the program has, and what it counts is exact.
import functools
import pickle
import warnings

from snekpy import stage

warnings.simplefilter("ignore")


@stage
@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(50), fib.cache_info(), fib(50), fib.cache_info())
fib.cache_clear()
print(fib.cache_info(), fib(3), fib.cache_info(), fib.__name__, fib.__doc__, fib.cache_parameters())


# The very same cache, by two names.
@functools.lru_cache(maxsize=3, typed=True)
def squared(x, *, by=1):
    "x * x / by"
    calls.append(x)
    return x * x / by


calls = []
staged = stage(squared)
for x in (1, 2, 1.0, 1, 3, 2, True, 1):
    print(staged(x), squared(x), staged(x, by=2), end=" ")
print(calls, staged.cache_info(), squared.cache_info() == staged.cache_info())
for bad in ([], {}):
    try:
        staged(bad)
    except TypeError as error:
        print(error)


# In a class it is a method.
class Grid:
    def __init__(self, n):
        self.n = n

    @stage
    @functools.cache
    def paths(self, i, j):
        return 1 if i == 0 or j == 0 else self.paths(i - 1, j) + self.paths(i, j - 1)

    @functools.cache
    @stage
    def below(self, i):
        return sum(range(i)) + self.n

    @functools.cached_property
    @stage
    def size(self):
        calls.append("size")
        return self.n * self.n


grid = Grid(6)
print(grid.paths(6, 6), Grid.paths.cache_info(), grid.below(9), grid.below(9), Grid.below.cache_info())
print(grid.size, grid.size, calls[-2:], vars(grid))


# From compiled loops.
@stage
def totals(n):
    total = 0
    for i in range(n):
        total += fib(i % 30) + grid.paths(i % 4, 3)
    return total


for _ in range(3):
    print(totals(100), fib.cache_info(), Grid.paths.cache_info())


# Other decorators that hand calls on.
def counted(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        call.count += 1
        return function(*args, **kwargs)

    call.count = 0
    return call


@stage
@counted
def scaled(x, k=2):
    return x * k


print([scaled(i, k=i) for i in range(5)], scaled(2.5), scaled.count, scaled.__name__)
half = stage(functools.partial(scaled, k=0.5))
print(half(3), half(3, k=4), scaled.count)


@stage
@functools.singledispatch
def show(x):
    return f"object {x}"


@show.register
def _(x: int):
    return f"int {x + 1}"


@show.register(list)
@stage
def _(x):
    return f"list {sum(x)}"


print(show(1), show(2.5), show([1, 2]), show(True), sorted(c.__name__ for c in show.registry))
print(pickle.loads(pickle.dumps(fib)) is not None)
