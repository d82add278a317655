# F15: an index that is checked first.
from support import show


def f(l, i):
    if i < len(l):
        v = l[i]
    else:
        v = 0
    return v


show(f, ([4, 5], 1), ([4, 5], 2), ([], 0), ([4, 5], -1))
