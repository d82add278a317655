# A33: an arm deletes the variable. Reading it afterwards is an UnboundLocalError on that path only.
from support import show


def f(c):
    x = 1
    if c:
        del x
    return x


show(f, False, True, False)
