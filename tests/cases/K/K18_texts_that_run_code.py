# K18: texts of classes, functions and bound methods: names that are assigned, methods of metaclasses and objects.
from snekpy import stage

n = 0


class Meta(type):
    def __repr__(cls):
        print("repr")
        return f"M{n}"

    def __eq__(cls, other):
        return n == 1

    __hash__ = type.__hash__


class C(metaclass=Meta):
    pass


class P:
    def __repr__(self):
        print("repr of P")
        return f"P{self.n}"

    def get(self):
        return self.n


class Named:
    pass


o = P()


@stage
def of_the_class():
    return repr(C), C == int, C in [int]


@stage
def of_the_method(x):
    return repr(o.get), "%s" % o.get, [o.get], o.get() + x


@stage
def of_names(x):
    return str([Named]), f"{Named}", "%s" % (Named,), "{}".format([Named]), x


for n in range(3):
    print(of_the_class())
    o.n = n
    print(str(of_the_method(n)[0]))
    Named.__qualname__ = f"Named{n}"
    print(of_names(n))
