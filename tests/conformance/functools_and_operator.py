# functools, operator.
import functools
import operator


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(80), fib.cache_info().hits, functools.reduce(operator.mul, range(1, 7)), functools.partial(int, base=2)("101"))


@functools.total_ordering
class Age:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n


print(Age(1) <= Age(2), Age(3) > Age(2), sorted("bA", key=functools.cmp_to_key(lambda a, b: ord(a) - ord(b))))


@functools.singledispatch
def kind(value):
    return "object"


@kind.register
def _(value: int):
    return "int"


print(kind(1), kind("x"), operator.itemgetter(1, 2)("abc"), operator.attrgetter("n")(Age(5)), operator.methodcaller("upper")("a"))


class Cached:
    @functools.cached_property
    def value(self):
        print("computed")
        return 7


c = Cached()
print(c.value, c.value)
