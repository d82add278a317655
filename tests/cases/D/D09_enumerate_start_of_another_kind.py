# D09: what `enumerate` counts from is no whole number: a TypeError.
from support import show
from snekpy import stage


def f(x):
    return list(enumerate([7], x))


def g(l, x):
    s = 0
    for i, v in enumerate(l, x):
        s += i * v
    return s


show(f, 1, 0, -3, True)
show(g, ([7, 8], 1), ([7, 8], True), ([], 1))
staged = stage(f), stage(g)
for start in (1.5, "a", None):
    for call in (lambda: staged[0](start), lambda: staged[1]([7], start), lambda: staged[1]([], start)):
        try:
            print(call())
        except TypeError as error:
            print(type(error).__name__)
