# M11: methods of lists that compare staged numbers.
from support import show


def sorted_in_place(x, y):
    l = [x, y, 1]
    l.sort()
    return l


def found(l, x):
    if l.count(x):
        return l.index(x)
    return None


show(sorted_in_place, (3, 2), (0, -2), (0.5, 2))
show(found, ([1, 2, 3], 2), ([1, 2, 3], 5), ([], 1), ([0.5, 1], 1.0))
