# J12: `__slots__`, `__getattr__`, `__setattr__`, `__getattribute__` and descriptors.
from support import run, show
from snekpy import stage


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class Missing:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name.startswith("twice_"):
            return getattr(self, name[6:]) * 2
        raise AttributeError("no " + name)


class Guarded:
    def __setattr__(self, name, value):
        if value < 0:
            raise ValueError(name)
        object.__setattr__(self, name, value * 10)

    def __delattr__(self, name):
        print("  del", name)
        object.__delattr__(self, name)


class Every:
    def __init__(self, x):
        self.x = x

    def __getattribute__(self, name):
        return object.__getattribute__(self, name) + 1


class Field:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        return self if instance is None else getattr(instance, self.name, 0)

    def __set__(self, instance, value):
        setattr(instance, self.name, value + 1)


class Record:
    field = Field()


def slots(x):
    s = Slots(x)
    if x > 0:
        s.b = x * 2
    s.a += 1
    return s.a, s.b


def no_such_slot(x):
    s = Slots(x)
    try:
        if x > 0:
            s.c = x
    except AttributeError:
        return "no slot"
    return s.a


def missing(x):
    m = Missing(x)
    if x > 0:
        return m.x, m.twice_x, hasattr(m, "y"), getattr(m, "z", x)
    return m.y


def guarded(x):
    g = Guarded()
    g.a = x
    g.a += 1
    value = g.a
    del g.a
    return value, hasattr(g, "a")


def every(x):
    return Every(x).x


def descriptor(x):
    r = Record()
    before = r.field
    r.field = x
    r.field += 1
    return before, r.field, type(Record.field).__name__


def outside(x):
    SLOTS.a += x
    GUARDED.v = x
    return SLOTS.a, GUARDED.v


show(slots, 1, -1, 0.5)
show(no_such_slot, -1, 1)
show(missing, 1, -1, 0.5)
show(guarded, 1, -1, 0.5)
show(every, 1, 0.5)
show(descriptor, 1, 0.5)
SLOTS, GUARDED = Slots(1), Guarded()
staged = stage(outside)
run(outside, staged, (1, 0.5, -1))
SLOTS.a = 100
run(outside, staged, (1,))
