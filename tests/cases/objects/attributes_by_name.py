# getattr with a default and hasattr of numbers, functions and classes: what is there, what is not, and what comes later.
import copy

from snekpy import stage


def scaled(x):
    return x * 2.0


class Base:
    factor = 3


class Derived(Base):
    @property
    def twice(self):
        return self.factor * 2


@stage
def of_numbers(x, n, b):
    found = [hasattr(x, "real"), hasattr(x, "append"), hasattr(n, "bit_length"), hasattr(b, "imag")]
    return found, getattr(x, "missing", x + 1.0), getattr(n, "real", -1), getattr(x, "shape", ())


@stage
def of_functions(x):
    return scaled(x) * getattr(scaled, "scale", 1.0), hasattr(scaled, "scale"), getattr(scaled, "__name__", "?")


@stage
def of_classes(x, cls):
    return x * getattr(cls, "factor", 1), hasattr(cls, "twice"), getattr(cls, "other", x), getattr(dict, "nothing", None)


@stage
def copied(x):
    one = Derived()
    one.factor = x
    two = copy.copy(one)
    two.factor += 1.0
    return one.twice, two.twice


@stage
def in_loops(n):
    total = 0
    for i in range(n):
        total += i if hasattr(i, "real") else -i
        total += getattr(i, "nothing", 2)
    return total


for _ in range(3):
    print(of_numbers(1.5, 7, True), of_functions(2.0), of_classes(2.0, Derived), copied(4.0), in_loops(300))
scaled.scale = 10.0
print(of_functions(2.0))
del scaled.scale
print(of_functions(2.0))
Base.other = 5
print(of_classes(2.0, Derived), of_classes(2.0, Base), of_classes(2.0, int))
del Base.factor
print(of_classes(2.0, Derived))
try:
    print(getattr(of_numbers(2.0, 2, False)[1], "nothing"))
except AttributeError as error:
    print(error)
