# M09: classes get, change and lose what staging has looked up in them.
import abc
import enum

from support import around


def sets(target, name, value):
    return lambda: setattr(target, name, value)


class Base:
    v = 1

    def method(self, x):
        return x + 1

    @property
    def p(self):
        return 5

    @classmethod
    def of_class(cls, x):
        return x, cls.v

    @staticmethod
    def alone(x):
        return x


class Sub(Base):
    pass


class Fields:
    def __init__(self):
        self.x = 1


class Described:
    def __init__(self):
        self.x = 1


class Empty:
    pass


class Sized:
    def __len__(self):
        return 0


class Operators:
    pass


class Meta(type):
    k = 1


class OfMeta(metaclass=Meta):
    pass


class Abstract(abc.ABC):
    pass


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


def missing(x):
    try:
        return empty.z
    except AttributeError:
        return x


def next_colour():
    global colour
    colour = Colour.GREEN


sub, fields, described, empty, sized, ops = Sub(), Fields(), Described(), Empty(), Sized(), Operators()
around("in a class between", lambda x: sub.v * x, sets(Sub, "v", 2), 1)
around("method of the subclass", lambda x: sub.method(x), sets(Sub, "method", lambda self, x: "new"), 1)
around("another property", lambda x: sub.p * x, sets(Base, "p", property(lambda self: 50)), 1)
around("no property", lambda x: sub.p * x, sets(Base, "p", 7), 1)
around("class method", lambda x: Sub.of_class(x), sets(Base, "of_class", classmethod(lambda cls, x: "new")), 1)
around("static method", lambda x: Sub.alone(x), sets(Base, "alone", staticmethod(lambda x: "new")), 1)
around("deleted", lambda x: sub.v * x, lambda: delattr(Sub, "v"), 1)
around("__getattribute__", lambda x: fields.x * x, sets(Fields, "__getattribute__", lambda self, name: 9), 1)
around("data descriptor", lambda x: described.x * x, sets(Described, "x", property(lambda self: 9)), 1)
around("__getattr__", missing, sets(Empty, "__getattr__", lambda self, name: 9), 1)
around("__len__", lambda x: x if sized else -x, sets(Sized, "__len__", lambda self: 1), 1)
around("__bool__", lambda x: x if ops else -x, sets(Operators, "__bool__", lambda self: False), 1)
around("callable", lambda x: callable(ops), sets(Operators, "__call__", lambda self, x: x * 3), 1)
around("__call__", lambda x: ops(x), sets(Operators, "__call__", lambda self, x: x * 4), 1)
around("__add__", lambda x: ops + x, sets(Operators, "__add__", lambda self, x: x * 4), 1)
around("__rsub__", lambda x: x - ops, sets(Operators, "__rsub__", lambda self, x: x * 4), 1)
around("__eq__", lambda x: ops == x, sets(Operators, "__eq__", lambda self, x: "eq"), 1)
around("__iter__", lambda x: [v * x for v in ops], sets(Operators, "__iter__", lambda self: iter((1, 2))), 1)
around("__contains__", lambda x: x in ops, sets(Operators, "__contains__", lambda self, v: v > 5), 9)
around("__getitem__", lambda x: ops[x], sets(Operators, "__getitem__", lambda self, v: v > 5), 9)
around("of the metaclass", lambda x: OfMeta.k * x, sets(Meta, "k", 4), 1)
around("instance check", lambda x: isinstance(x, OfMeta), sets(Meta, "__instancecheck__", lambda c, i: True), 1)
around("registered", lambda x: isinstance(empty, Abstract), lambda: Abstract.register(Empty), 1)
around("number registered", lambda x: isinstance(x, Abstract), lambda: Abstract.register(int), 1)
colour = Colour.RED
around("member", lambda x: x if colour is Colour.RED else colour.value, next_colour, 9)
around("name of a class", lambda x: type(sub).__name__, sets(Sub, "__name__", "Renamed"), 1)
around("subclasses", lambda x: len(Sub.__subclasses__()), lambda: globals().update(made=type("Made", (Sub,), {})), 1)
around("in vars", lambda x: "later" in vars(Sub), sets(Sub, "later", 1), 1)
around("bases", lambda x: (made.v, len(made.__mro__)), sets(Sub, "v", 3), 1)
