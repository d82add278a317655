# M10: a closure over a staged number leaves the staged call.
from snekpy import stage


def f(x):
    def inner(y):
        return x + y

    return inner


f = stage(f)
g = f(3)
print(g(1), f(10)(1), g(2))
