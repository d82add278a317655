# What compiled code compares the world with is no reason for it to live: what the program lets go of ends at once, as the
# program notices by a `__del__` or a weak reference.
import weakref

from snekpy import stage

log = []


class End:
    size = 1

    def __init__(self, name):
        self.name = name

    def __del__(self):
        log.append(self.name)


class Plain:
    size = 2


class Holder:
    pass


items = [End("item"), 2]
table = {"a": End("entry"), "n": [End("nested")]}
name = End("global")
Holder.attribute = End("attribute")
holder = Holder()
holder.inner = Holder()
holder.inner.end = End("inner")
watched = Plain()
watch = weakref.ref(watched)
box = [Plain()]
boxed = weakref.ref(box[0])


def closed_over():
    kept = End("closure")

    def inside(x):
        return x + kept.size

    def let_go():
        nonlocal kept
        kept = None

    return inside, let_go


def in_list(x):
    return x + len(items) + items[1]


def in_dict(x):
    return x + table["a"].size + len(table["n"])


def in_global(x):
    return x + name.size


def in_class(x):
    return x + Holder.attribute.size


def in_object(x):
    return x + (1 if holder.inner is not None else 0)


def looked_at(x):
    return x + watched.size + box[0].size


def returned(x):
    return (x, table["a"])


in_cell, let_go = closed_over()
staged = [stage(it) for it in (in_list, in_dict, in_global, in_class, in_object, looked_at, in_cell)]
for function in staged:
    print(function.__name__, function(1), function(2.5), function(3))
gives = stage(returned)
print(gives(1)[0], gives(2)[1] is table["a"])

items[0] = None
print(log)
table["a"] = None
print(log)
table["n"].clear()
print(log)
name = Plain()
print(log)
Holder.attribute = Plain()
print(log)
holder.inner = None
print(log)
let_go()
print(log)
del watched
print(watch())
box[0] = Plain()
print(boxed())
watched = Plain()
for function in staged[2:6]:
    print(function.__name__, function(1))
