# J15: objects are equal by identity unless their class says otherwise.
from support import run, show
from snekpy import stage


class Plain:
    def __init__(self, x):
        self.x = x


class ByValue(Plain):
    def __eq__(self, other):
        if not isinstance(other, Plain):
            return NotImplemented
        return self.x == other.x


class Hashed(ByValue):
    def __hash__(self):
        return 7


def plain(x):
    a, b = Plain(x), Plain(x)
    c = a if x > 0 else b
    return a == b, a != b, a == a, c == a, c != b, a == x, a in [b], a in [b, a]


def by_value(x, y):
    a, b = ByValue(x), ByValue(y)
    return a == b, a != b, a == Plain(y), Plain(x) == b, a == x, [a] == [b], a in (1, b), (b,).count(a)


def ordered(x):
    if x > 0:
        return Plain(x) < Plain(1)
    return Plain(x) is Plain(x)


def as_keys(x):
    a, b = Plain(x), Plain(x)
    d = {a: 1, b: 2, Hashed(x): 3, Hashed(1): 4}
    return len(d), d[a], d[Hashed(x)]


def with_the_global(x):
    return SOME == Plain(x), SOME == OTHER, SOME is OTHER, ByValue(x) == SOME


show(plain, 1, -1, 0.5)
show(by_value, (1, 1), (1, 2), (1, 1.0), (0.5, 1))
show(ordered, 0, 1)
show(as_keys, 1, 2)
SOME, OTHER = Plain(1), Plain(1)
staged = stage(with_the_global)
run(with_the_global, staged, (1, 2))
OTHER = SOME
run(with_the_global, staged, (1, 2))
SOME.x = 2
run(with_the_global, staged, (1, 2))
Plain.__eq__ = lambda self, other: self.x == other.x
run(with_the_global, staged, (1, 2))
