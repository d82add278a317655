# A29: an attribute of an object is written in both arms.
from snekpy import stage


class Box:
    pass


def f(box, n):
    if n > 0:
        box.a = -n
    else:
        box.a = 2 * n
    return box.a


f = stage(f)
for n in (3, -3, 0):
    box = Box()
    print(f(box, n), box.a)
