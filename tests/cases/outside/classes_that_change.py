# `isinstance`, `issubclass`, `except` and `case` ask classes that may change between calls.
from snekpy import stage


class B:
    pass


class C:
    pass


class A(B):
    pass


class Leaf(A):
    pass


@stage
def is_b(o, n):
    return isinstance(o, B), isinstance(o, (int, C)), n


@stage
def below(n):
    return issubclass(A, B), issubclass(Leaf, (int, C)), issubclass(Leaf, B), n


@stage
def matched(o, n):
    match o:
        case B():
            return "B", n
        case C():
            return "C", n
    return "none", n


o = A()
leaf = Leaf()
for _ in range(2):
    print(is_b(o, 1), is_b(leaf, 1), below(1), matched(o, 1), matched(leaf, 2))
    A.__bases__ = (C,)
    print(is_b(o, 1), is_b(leaf, 1), below(1), matched(o, 1), matched(leaf, 2))
    A.__bases__ = (B,)


class EB(Exception):
    pass


class EC(Exception):
    pass


class EA(EB):
    pass


@stage
def caught(n):
    try:
        raise EA(n)
    except EB:
        return "EB", n
    except EC:
        return "EC", n


print(caught(1), caught(2))
EA.__bases__ = (EC,)
print(caught(1), caught(2))


class Meta(type):
    answer = True

    def __instancecheck__(cls, o):
        return cls.answer

    def __subclasscheck__(cls, o):
        return cls.answer


class Asked(metaclass=Meta):
    pass


@stage
def asks(o, n):
    return isinstance(o, Asked), isinstance(n, (str, Asked)), issubclass(A, Asked)


@stage
def asks_by_case(o, n):
    match o:
        case Asked():
            return "asked", n
    return "none", n


print(asks(o, 1), asks_by_case(o, 1))
Meta.answer = False
print(asks(o, 1), asks_by_case(o, 1))
Meta.answer = True
print(asks(o, 1), asks_by_case(o, 1))


class Liar:
    kind = int

    @property
    def __class__(self):
        return self.kind


@stage
def lies(o, n):
    return isinstance(o, int), isinstance(o, B), isinstance(o, Liar), o.__class__, n


@stage
def lies_by_case(o, n):
    match o:
        case int():
            return "int", n
        case B():
            return "B", n
    return "none", n


liar = Liar()
print(lies(liar, 1), lies_by_case(liar, 1))
Liar.kind = B
print(lies(liar, 1), lies_by_case(liar, 1))

