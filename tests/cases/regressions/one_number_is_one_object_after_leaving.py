# A number that two variables hold is one object, also where the call goes on as plain Python.
from snekpy import stage


class Odd:
    pass


def leave():
    Odd.seen = True


def same(x, y):
    z = x
    w = x + y
    v = w
    items = [x, w]
    if x > 0:
        leave()
    return x is y, z is x, v is w, items[0] is x, items[1] is w, w is x


def nan(x):
    items = [x, x * 1.0]
    y = items[1]
    leave()
    return x in items, y in items, items.count(y), items.index(y), (x, y) == tuple(items)


def made(x):
    def inner(y):
        leave()
        return y is x

    return inner(x), inner(x + 0.0)


big = 1.5
print(stage(same)(big, big), stage(same)(big, 2.5), stage(same)(10**6, 10**7))
print(stage(same)(big, float("1.5")))
print(stage(nan)(float("nan")))
print(stage(made)(3.5))
