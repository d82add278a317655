# B13: the middle of a chain is evaluated once, the end only when it is reached.
from support import show


def middle(v):
    print("  middle", v)
    return v


def end():
    print("  end")
    return 10


def f(x):
    return 0 < middle(x) < end()


show(f, 5, 0, 15)
