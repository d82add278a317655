# inspect, types, dir, annotations.
import inspect
import types


def f(a: int, b: str = "x", *c, d=1, **e) -> bool:
    """Doc."""
    local = a
    return local


print(inspect.signature(f), f.__doc__, f.__name__, f.__code__.co_varnames, f.__code__.co_argcount, f.__kwdefaults__)
print(isinstance(f, types.FunctionType), type(len).__name__, type(lambda: 0) is type(f), callable(f), f.__annotations__["a"])
print([n for n in dir([]) if n.startswith("ap")], isinstance(True, int), type(1).__mro__, int.__name__)
f.attribute = 5
print(f.attribute, vars(f), hasattr(f, "nothing"), id(f) == id(f), hash("a") == hash("a"))
print(type(None), NotImplemented, ..., __name__, bool.__bases__, slice(1, 5, 2).indices(4))
