# J13: a class is defined inside the staged function.
from support import show


def f(x):
    class C:
        factor = x

        def __init__(self, y):
            self.y = y

        def value(self):
            return self.y * self.factor + x

    c = C(x + 1)
    if x > 0:
        c.y += 1
    return c.value(), C.__name__, C.factor


def under_a_condition(x):
    if x > 0:

        class Kind:
            name = "positive"
    else:

        class Kind:
            name = "other"

    return Kind.name, Kind().name


def in_a_loop(n):
    made = []
    for i in range(n):

        class Item:
            number = i

        made.append(Item)
    return [item.number for item in made], len(set(made))


def with_a_base(x):
    class Failed(ValueError):
        pass

    if x > 0:
        raise Failed(x)
    return issubclass(Failed, ValueError)


def by_type(x):
    kind = type("Made", (), {"x": x, "double": lambda self: self.x * 2})
    return kind().double(), kind.__name__


def after_some_work(x, n):
    total = 0
    for i in range(n):
        total += i * x

    class Result:
        value = total

    return Result.value


show(f, 1, -1, 0.5)
show(under_a_condition, 1, -1)
show(in_a_loop, 3, 0)
show(with_a_base, -1, 1)
show(by_type, 3, 0.5)
show(after_some_work, (2, 4), (0.5, 3), (1, 0))
