# A bound method of native code that is called, or kept, where compiled code is left.
from snekpy import stage


@stage
def count(x):
    return (x, 2).count(2), (x, 2).count(x), (x, 2, x).index(2)


@stage
def add(x):
    return (x, 2).__add__((x,))


@stage
def text(x):
    return (x, 2).__repr__(), (x, 2).__str__()


@stage
def holds(x):
    return (x, 2).__contains__(2), (x, 2).__contains__(x)


@stage
def compares(x):
    t = (x, 2)
    return t.__eq__((x, 2)), t.__ne__((x, 3)), t.__lt__((x, 3)), t.__ge__((x, 3))


@stage
def hashed(x):
    return (x, 2).__hash__() == hash((x, 2))


@stage
def kept(x):
    c = (x, 2).__len__
    print("between", x)
    d = [1, x].count
    open  # a name
    y = "%s" % sorted([x, 1], key=lambda v: -v)
    return c(), d(x), y


@stage
def of_number(x):
    f = x.__add__
    return f(2), x.__mul__(3), (x).__neg__()


@stage
def given_away(x):
    return (x, 2).__len__


@stage
def of_list(x):
    l = [x, 3]
    m = l.append
    m(x + 1)
    n = l.__getitem__
    return n(0), n(2), l.__len__(), l


@stage
def of_dict(x):
    d = {1: x}
    g = d.get
    d[2] = x * 2
    return g(1), g(2), g(3, x), d.__contains__(1)


@stage
def of_text(x):
    s = f"{x}-{x}"
    return s.upper(), s.split("-"), s.__len__(), s.startswith("1")


for f in (count, add, text, holds, compares, hashed, kept, of_number, of_list, of_dict, of_text):
    for x in (1, 5, 2.5):
        try:
            print(f.__name__, f(x))
        except Exception as e:
            print(f.__name__, type(e).__name__, e)
print(given_away(1)(), given_away(2.5)(), given_away(3).__self__)
