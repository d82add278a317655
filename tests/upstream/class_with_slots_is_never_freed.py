# A class with `__slots__` is never freed.
#
# The descriptor of a slot refers to the class, and is not traversed by the collector.
#@ cpython    freed
#@ rustpython never freed
import gc
import weakref


def make():
    class Point:
        __slots__ = ("x",)

    return weakref.ref(Point)


point = make()
gc.collect()
print("freed" if point() is None else "never freed")
