# M03: staging has no effect of its own: everything is printed once for each call.
from snekpy import stage


def test(x):
    print("test", x)
    return x > 0


def f(x):
    print("in f")
    while test(x):
        x -= 1
    return x


f = stage(f)
print("staged")
print(f(1))
print(f(1))
