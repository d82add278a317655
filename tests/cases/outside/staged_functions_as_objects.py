# What can be done with a function can be done with a staged one.
import copy
import functools
import inspect
import pickle
import pydoc
from snekpy import stage


@stage
def f(a, b=2, *, c=3):
    """Adds."""
    return a + b + c


print(f(1), f(1, 1), f(1, c=1))
f.__defaults__ = (10,)
print(f(1), f.__defaults__)
f.__kwdefaults__ = {"c": 100}
print(f(1), f.__kwdefaults__)
f.__defaults__ = None
try:
    print(f(1))
except TypeError as e:
    print("TypeError")
f.__defaults__ = (2,)
f.__kwdefaults__ = None
print(f(1, c=1))


def other(a, b, *, c=5):
    return a * b * c


f.__code__ = other.__code__
print(f(2, 3, c=4), f.__code__ is other.__code__)
for name, value in (
    ("__defaults__", 5),
    ("__kwdefaults__", 5),
    ("__code__", 5),
    ("__globals__", {}),
    ("__closure__", ()),
    ("__name__", 5),
):
    try:
        setattr(f, name, value)
        print(name, "accepted")
    except Exception as e:
        print(name, type(e).__name__)
f.__name__ = "renamed"
f.__qualname__ = "q.renamed"
f.__doc__ = "Doc."
f.tag = 1
print(f.__name__, f.__qualname__, f.__doc__, f.tag, f.__dict__)
del f.tag
print(hasattr(f, "tag"))


@stage
def g(a, b=2, *args, c: int = 3, **kwargs) -> float:
    """Documented."""
    return a


print(inspect.signature(g), g.__doc__, g.__module__, g.__annotations__)
print(pydoc.render_doc(g, renderer=pydoc.plaintext).splitlines()[2:])
print(copy.copy(g) is g, copy.deepcopy(g) is g, copy.deepcopy([g])[0] is g)
print(pickle.loads(pickle.dumps(g)) is g, pickle.loads(pickle.dumps({"k": g}))["k"] is g)
print(inspect.isfunction(inspect.unwrap(g)), callable(g), g == g, hash(g) == hash(g))
print(inspect.getsource(g).splitlines()[1], inspect.getdoc(g))


class K:
    @stage
    def m(self, n):
        """Method."""
        return n + 1


print(inspect.signature(K.m), inspect.signature(K().m), K().m(1), K.m(K(), 2), pickle.loads(pickle.dumps(K.m)) is K.m)
print(functools.partial(g, 1)(), functools.wraps(g)(lambda: 0).__name__, g.__get__(5)(), g.__get__(None, int) is g)
twin = type(inspect.unwrap(g))(g.__code__, globals(), "twin", (7,))
print(twin(1, c=1), twin.__name__)


@stage
def uses(n):
    return g(n) + helper(n)


@stage
def helper(n, k=1):
    return n + k


print(uses(1))
helper.__defaults__ = (10,)
print(uses(1), helper(1))
helper.__code__ = (lambda n, k: n * k).__code__
print(uses(2), helper(2))
