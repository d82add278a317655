# A30: attributes are written in one arm only.
from snekpy import stage


class Box:
    pass


def f(x, c):
    x.b, x.c, z = 2, 3, 5
    if c:
        x.b = 7
        x.c = 11
        z = 13
    return x.b, x.c, z


f = stage(f)
for c in (True, False):
    box = Box()
    print(f(box, c), box.b, box.c)
