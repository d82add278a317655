# C29: the first iteration creates the attribute.
from snekpy import stage


class Box:
    pass


def f(n, x):
    box = Box()
    i = 0
    while i < n:
        if i == 0:
            box.sub = x
        else:
            box.sub += 1
        i += 1
    return box.sub


f = stage(f)
print(f(5, 10), f(1, 3))
try:
    f(0, 1)
except AttributeError as error:
    print(type(error).__name__)
