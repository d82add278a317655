# An attribute that an object of native code does not have may be there at the next call, and the other way round.
import functools
import threading
import types
import weakref
from snekpy import stage


class Plain:
    pass


def counted(c, n):
    try:
        c.n += n
    except AttributeError:
        c.n = n
    return c.n


def asked(c):
    try:
        return c.n
    except AttributeError:
        return "none"


def makers():
    yield "namespace", types.SimpleNamespace()
    yield "function", lambda: 0
    yield "partial", functools.partial(print)
    yield "exception", ValueError(1)
    yield "staticmethod", staticmethod(len)
    yield "local", threading.local()
    yield "module", types.ModuleType("m")
    yield "object", Plain()
    kept = Plain()
    yield "proxy", weakref.proxy(kept)
    yield "class", type("C", (), {})


for name, c in makers():
    f = stage(counted)
    print(name, [f(c, 1) for _ in range(3)])

for name, c in makers():
    f = stage(asked)
    seen = [f(c), f(c)]
    c.n = 5
    seen += [f(c), f(c)]
    c.n = 6
    seen += [f(c)]
    del c.n
    seen += [f(c), f(c)]
    print(name, seen)


@stage
def has(c, n):
    return hasattr(c, "n"), getattr(c, "n", n)


for name, c in makers():
    seen = [has(c, 0), has(c, 0)]
    c.n = 5
    print(name, seen, has(c, 0), has(c, 1))


@stage
def matched(c):
    match c:
        case types.SimpleNamespace(n=n):
            return n
    return "no"


c = types.SimpleNamespace()
print(matched(c), matched(c))
c.n = 3
print(matched(c))
del c.n
print(matched(c))
