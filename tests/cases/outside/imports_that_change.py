#@ coverage varies: what imports read may be written meanwhile
# What `import` gives is asked at each call.
import builtins
import sys
import types
from snekpy import stage

mm = types.ModuleType("mm")
mm.q = 1
mm.__file__ = "mm.py"
sys.modules["mm"] = mm


@stage
def f(n):
    import mm

    return mm.q + n


@stage
def g(n):
    from mm import q

    return q + n


@stage
def caught(n):
    try:
        from mm import q
    except ImportError as e:
        return type(e).__name__, e.name, n
    return q + n


print(f(1), g(1), caught(1))
other = types.ModuleType("mm")
other.q = 10
other.__file__ = "mm.py"
sys.modules["mm"] = other
print(f(1), g(1), caught(1))
sys.modules["mm"] = mm
print(f(1), g(1), caught(1))
mm.q = 2
print(f(1), g(1), caught(1))
del mm.q
for k in (f, g):
    try:
        print(k(1))
    except AttributeError as e:
        print("AttributeError", e)
    except ImportError as e:
        print("ImportError", e.name)
print(caught(1))
mm.q = 3
print(f(1), g(1), caught(1))

old = builtins.__import__
calls = []


def mine(name, *args, **kwargs):
    calls.append(name)
    return old(name, *args, **kwargs)


builtins.__import__ = mine
print(f(1), g(1), caught(1), calls)
builtins.__import__ = old
print(f(1), g(1), caught(1), calls)
sys.modules["mm"] = None
for k in (f, g, caught):
    try:
        print(k(1))
    except ImportError as e:
        print(type(e).__name__)
del sys.modules["mm"]
print(f(1) if "mm" in sys.modules else "gone")


@stage
def dotted(n):
    import os.path

    return os.path.basename("a/b") + str(n)


print(dotted(1), dotted(2))
