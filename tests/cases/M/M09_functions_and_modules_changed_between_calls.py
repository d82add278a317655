# M09: functions, cells, modules and attributes of objects change between the calls.
import functools
import math
import types
from operator import add, attrgetter

from support import around


def sets(target, name, value):
    return lambda: setattr(target, name, value)


def with_cell():
    k = 1

    def f(x):
        return x + k

    def change(v):
        nonlocal k
        k = v

    return f, change


def with_function_in_a_cell():
    k = [1]

    def g(x):
        return x + k[0]

    def f(x):
        return g(x) * 2

    def change():
        nonlocal g
        g = lambda x: "new"

    return f, change


def default(x, a=1):
    return x + a


def other_code(x):
    return x + 1


def counted(x):
    return counted.count + x


@functools.lru_cache
def cached(x):
    return x, len(items)


class Cached:
    n = 1

    @functools.cached_property
    def v(self):
        return self.n


class Object:
    def __repr__(self):
        return f"Object {self.n}"

    def __hash__(self):
        return self.n

    def __len__(self):
        return self.n

    def __index__(self):
        return self.n

    def __float__(self):
        return self.n + 0.5

    def __format__(self, spec):
        return f"formatted {self.n}"

    def __enter__(self):
        return self.n

    def __exit__(self, *error):
        return self.n > 1


def entered(x):
    with thing as v:
        return v + x


def next_n():
    thing.n += 1


def renew_cached():
    with_cached.__dict__.pop("v", None)
    with_cached.n = 6


f, change = with_cell()
around("cell", f, lambda: change(2.5), 1)
around("cell of another kind", f, lambda: change("s"), 1)
f, change = with_function_in_a_cell()
around("function in a cell", f, change, 1)
items = [1]
around("default", default, sets(default, "__defaults__", (5,)), 1)
around("code", other_code, sets(other_code, "__code__", default.__code__), 1)
counted.count = 1
around("attribute of the function", counted, sets(counted, "count", 8), 1)
around("name", lambda x: other_code.__name__, sets(other_code, "__name__", "renamed"), 1)
around("documentation", lambda x: other_code.__doc__, sets(other_code, "__doc__", "text"), 1)
around("annotations", lambda x: default.__annotations__.get("x"), lambda: default.__annotations__.update(x="int"), 1)
around("cached", lambda x: cached(x), lambda: items.append(5), 1)
around("cache cleared", lambda x: cached(x), cached.cache_clear, 1)
with_cached = Cached()
around("cached property", lambda x: with_cached.v + x, renew_cached, 1)
dispatched = functools.singledispatch(lambda x: "base")
around("dispatch", lambda x: dispatched(x), lambda: dispatched.register(int, lambda x: "int"), 1)
partial = functools.partial(add, 1)
around("partial", lambda x: partial(x), lambda: partial.__setstate__((add, (5,), {}, None)), 1)

module = types.ModuleType("module")
module.k, module.f = 1, abs
around("attribute of a module", lambda x: module.k * x, sets(module, "k", 5), 1)
around("function of a module", lambda x: module.f(x), sets(module, "f", str), -1)
around("missing in a module", lambda x: module.none, sets(module, "__getattr__", lambda name: name), -1)
floor = math.floor
around("native function", lambda x: math.floor(x), sets(math, "floor", lambda x: "mine"), 1.5)
math.floor = floor
around("globals", lambda x: globals().get("added", x), lambda: globals().update(added=5), 1)

thing = Object()
thing.n = 1
around("repr", lambda x: repr(thing), next_n, 1)
around("str", lambda x: str(thing), next_n, 1)
around("hash", lambda x: hash(thing), next_n, 1)
around("len", lambda x: len(thing), next_n, 1)
around("index", lambda x: "abcdefghijklmn"[thing], next_n, 1)
around("float", lambda x: float(thing), next_n, 1)
around("format", lambda x: f"{thing} {thing!r}", next_n, 1)
around("range", lambda x: list(range(thing)), next_n, 1)
around("with", entered, next_n, 1)
around("vars", lambda x: vars(thing), next_n, 1)
around("getattr", lambda x: getattr(thing, "n"), next_n, 1)
around("getattr with a default", lambda x: getattr(thing, "m", x), sets(thing, "m", 3), 1)
around("hasattr", lambda x: hasattr(thing, "q"), sets(thing, "q", 1), 1)
around("attrgetter", lambda x: attrgetter("n")(thing), next_n, 1)
around("dir", lambda x: "later" in dir(thing), sets(thing, "later", 1), 1)
around("eval", lambda x: eval("thing.n"), next_n, 1)
around("__dict__ changed", lambda x: thing.n * x, lambda: thing.__dict__.update(n=50), 1)
around("__dict__ replaced", lambda x: thing.n * x, sets(thing, "__dict__", {"n": 77}), 1)
space = types.SimpleNamespace(a=1)
around("namespace", lambda x: space.a + x, sets(space, "a", 5), 1)
error = ValueError("a")
around("arguments of an exception", lambda x: error.args, sets(error, "args", (1,)), 1)
around("attribute of an exception", lambda x: getattr(error, "code", x), sets(error, "code", 9), 1)
