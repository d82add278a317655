# A data descriptor that has `__set__` and no `__get__` is asked at each assignment, however often it has been.
class Both:
    def __set__(self, obj, value):
        obj.__dict__["a"] = value
        obj.__dict__["b"] = value


class Graph:
    a = Both()
    b = Both()
    c = 1


class Derived(Graph):
    pass


class Other:
    pass


class Mixed(Other, Graph):
    pass


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    a = Both()


class Deletes:
    def __delete__(self, obj):
        obj.__dict__["gone"] = True


class Counted(Graph):
    count = 0

    def __setattr__(self, name, value):
        Counted.count += 1
        super().__setattr__(name, value)


class Deleting:
    a = Deletes()


def assign(g, value):
    g.a = value
    return g.b if hasattr(g, "b") else g.__dict__


for made in (Graph, Derived, Mixed, Counted, WithMeta, type("Made", (Graph,), {}), type("Plain", (), {"a": Both()})):
    print(made.__name__, [assign(made(), n) for n in range(40)] == [n if hasattr(made, "b") else n for n in range(40)])
    g = made()
    for n in range(40):
        g.a = n
        g.c = n + 1
    print(sorted(g.__dict__.items()), object.__setattr__ is made.__setattr__)
print(Counted.count)
failed = 0
for n in range(40):
    d = Deleting()
    try:
        d.a = 1
    except AttributeError:
        failed += 1
    del d.a
print(failed, d.__dict__)
for n in range(3):
    assign(Other(), n)
Other.a = Both()
print([assign(Other(), n) for n in range(3)])
class Slotted:
    __slots__ = ("__dict__",)
    a = Both()
print([assign(Slotted(), n) for n in range(30)][-1])
