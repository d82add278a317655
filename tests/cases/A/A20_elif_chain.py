# A20: an elif chain, each arm and both edges.
#@ golden ir sign(1)
from support import show


def sign(x):
    if x < 0:
        r = -1
    elif x == 0:
        r = 0
    elif x < 10:
        r = 1
    else:
        r = 2
    return r


show(sign, -5, 0, 1, 9, 10, -0.0, 9.5, float("nan"), False)
