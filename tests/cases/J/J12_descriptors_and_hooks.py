# J12: descriptors, `__getattribute__`, `__setattr__` and `__delattr__` in Python, properties without setter or deleter, and
# `getattr` and its like with a known name. Strict: all of it is compiled.
from support import show

log = []


class Doubled:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, thing, owner):
        log.append("get")
        return self if thing is None else getattr(thing, self.name, 0)

    def __set__(self, thing, value):
        log.append("set")
        setattr(thing, self.name, value * 2)

    def __delete__(self, thing):
        log.append("delete")
        delattr(thing, self.name)


class Seven:
    def __get__(self, thing, owner):
        return 7


class Record:
    doubled = Doubled()
    seven = Seven()

    @property
    def size(self):
        return self._size * 2

    @size.setter
    def size(self, value):
        if value < 0:
            raise ValueError(value)
        self._size = value

    @size.deleter
    def size(self):
        log.append("no size")
        del self._size

    @property
    def fixed(self):
        return 1

    @property
    def broken(self):
        raise AttributeError("broken")


class Asked(Record):
    def __getattr__(self, name):
        log.append(name)
        if name == "absent":
            raise AttributeError(name)
        return len(name)


class Hooked:
    def __init__(self, x):
        object.__setattr__(self, "x", x)

    def __setattr__(self, name, value):
        if value == 3:
            raise TypeError("three")
        super().__setattr__(name, value + 1)

    def __delattr__(self, name):
        log.append(name)
        super().__delattr__(name)

    def __getattribute__(self, name):
        log.append(name)
        return object.__getattribute__(self, name)


class Slots:
    __slots__ = ("a",)


def descriptor(x):
    record = Record()
    record.doubled = x
    record.doubled += 1
    found = record.doubled
    del record.doubled
    return found, record.doubled, Record.doubled is Record.doubled, type(Record.doubled).__name__


def behind_the_object(x):
    record = Record()
    before = record.seven
    record.seven = x
    own = record.seven
    del record.seven
    return before, own, record.seven


def a_property(x):
    record = Record()
    record.size = x
    record.size += x
    found = record.size
    del record.size
    return found, hasattr(record, "size"), getattr(record, "size", x)


def without_setter(x):
    record = Record()
    try:
        if x > 0:
            record.fixed = x
        else:
            del record.fixed
    except AttributeError:
        return hasattr(record, "fixed"), hasattr(record, "broken"), getattr(record, "broken", x)


def fallback(x):
    asked = Asked()
    setattr(asked, "own", x)
    found = asked.own, asked.other, getattr(asked, "another", 5), hasattr(asked, "absent")
    return found, getattr(asked, "absent", x), asked.broken if x > 0 else None


def hooks(x):
    hooked = Hooked(x)
    hooked.y = x
    found = hooked.y, hooked.x
    del hooked.y
    return found, hasattr(hooked, "y"), getattr(hooked, "y", None)


def no_such_slot(x):
    slots = Slots()
    slots.a = x
    for name in ("b", "__init__"):
        try:
            setattr(slots, name, x)
        except AttributeError:
            log.append(name)
    return slots.a


for function in (descriptor, behind_the_object, a_property, without_setter, fallback, hooks, no_such_slot):
    show(function, 1, 3, 0.5, -2, True, 0, strict=True)
    print(log)
    log.clear()
