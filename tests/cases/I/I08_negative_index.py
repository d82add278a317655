# I08: indices from the end.
from support import show


def f(l, n):
    return l[-1], l[-n], l[n - 1]


show(f, ([1, 2, 3], 1), ([1, 2, 3], 3), ([1, 2, 3], 4), ([1, 2, 3], 0))
