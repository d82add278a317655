# I03: items are taken off a list at a staged index, and by their value.
from support import show


def at_an_index(l, i):
    taken = l.pop(i)
    del l[0]
    l.remove(l[-1])
    return taken


show(at_an_index, ([1, 2, 3, 4], 0), ([1, 2, 3, 4], 2), ([1, 2, 3, 4], -1), ([1, 2, 3, 4], 4), ([1, 2], 0))
