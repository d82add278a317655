# B09: the old idiom `c and a or b` gives `b` when `a` is false. That pitfall is kept.
from support import show


def f(block, x):
    return block is None and 0 or x


def g(c, a, b):
    return c and a or b


show(f, (None, 5), ("block", 5), (None, 0))
show(g, (True, 1, 2), (True, 0, 2), (False, 1, 2))
