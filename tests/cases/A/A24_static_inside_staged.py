# A24: a static condition inside a staged one, and a flag that changes between the calls.
from support import show

FLAG = True


def f(x):
    if x > 0:
        if FLAG:
            x = x + 100
        else:
            x = x + 200
    return x


show(f, 1, -1)
FLAG = False
show(f, 1, -1)
