# F09: `raise` where nothing is handled.
#@ reference snekpy: RustPython gives this exception no line.
from support import show


def nothing_to_raise(x):
    if x:
        raise
    return x


show(nothing_to_raise, 0, 1)
