# A32: an arm that does nothing.
from support import show


def f(c, s):
    if c:
        pass
    else:
        s += 1
    return s


show(f, (True, 1), (False, 1), (False, 1.5))
