# J06: properties with setter and deleter, class methods and static methods.
from support import run, show
from snekpy import stage


class Celsius:
    made = 0
    offset = 32

    def __init__(self, degrees):
        self._degrees = degrees

    @property
    def fahrenheit(self):
        return self._degrees * 2 + self.offset

    @fahrenheit.setter
    def fahrenheit(self, value):
        if value < -400:
            raise ValueError("too cold")
        self._degrees = (value - self.offset) / 2

    @fahrenheit.deleter
    def fahrenheit(self):
        self._degrees = 0

    @property
    def fixed(self):
        return 7

    @classmethod
    def twice(cls, degrees):
        return cls(degrees * 2)

    @classmethod
    def counted(cls):
        cls.made += 1
        return cls.made

    @staticmethod
    def larger(a, b):
        return a if a > b else b


class Shifted(Celsius):
    offset = 0.5


def made_inside(x):
    c = Celsius(x)
    before = c.fahrenheit
    c.fahrenheit = x
    c.fahrenheit += 2
    after = c._degrees
    if x > 0:
        del c.fahrenheit
    return before, after, c.fahrenheit


def set_without_setter(x):
    c = Celsius(x)
    if x > 0:
        c.fixed = x
    return c.fixed


def class_methods(x, y):
    c = Celsius.twice(x)
    d = Shifted.twice(y)
    return c.fahrenheit, d.fahrenheit, type(d).__name__, c.larger(x, y), Celsius.larger(y, x)


def counts(n):
    for _ in range(n):
        Celsius.counted()
    return Celsius.made


def outside(x):
    OUTSIDE.fahrenheit = x
    return OUTSIDE.fahrenheit, OUTSIDE._degrees


show(made_inside, 10, -10, 0.5, -500)
show(set_without_setter, -1, 1)
show(class_methods, (1, 2), (2, 0.5))
show(counts, 2, 0, 1)
OUTSIDE = Celsius(1)
staged = stage(outside)
run(outside, staged, (10, -500, 0.5))
OUTSIDE = Shifted(2)
run(outside, staged, (10, 0.5))
Shifted.offset = 100
run(outside, staged, (10,))
