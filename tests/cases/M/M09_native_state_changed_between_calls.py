# M09: iterators, weak references and other native objects change between the calls.
import contextvars
import io
import random
import threading
import weakref

from support import around


def sets(target, name, value):
    return lambda: setattr(target, name, value)


class Kept:
    pass


def drop():
    global kept
    kept = None


iterator = iter([1, 2, 3, 4, 5, 6])
around("iterator", lambda x: next(iterator) + x, lambda: next(iterator), 1)
generator = (v for v in range(10))
around("generator", lambda x: next(generator) + x, lambda: next(generator), 1)
around("loop over the rest", lambda x: [v + x for v in generator], lambda: None, 1)
kept = Kept()
weak = weakref.ref(kept)
around("weak reference", lambda x: weak() is None, drop, 1)
variable = contextvars.ContextVar("variable", default=1)
around("context variable", lambda x: variable.get() + x, lambda: variable.set(7), 1)
local = threading.local()
local.v = 1
around("thread local", lambda x: local.v + x, sets(local, "v", 9), 1)
text = io.StringIO("abcdefgh")
around("text", lambda x: (text.read(1), x), lambda: text.read(1), 1)
numbers = random.Random(3)
around("random", lambda x: [numbers.randrange(9) + x for _ in range(3)], lambda: numbers.seed(4), 1)
