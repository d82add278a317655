# An object that keeps a bound method of its native base class is never freed.
#
# A bound native method is not traversed by the collector.
#@ cpython    freed
#@ rustpython never freed
import gc
import weakref


class Items(list):
    pass


def make():
    items = Items()
    items.add = items.append
    return weakref.ref(items)


items = make()
gc.collect()
print("freed" if items() is None else "never freed")
