# B15: comparison with None and with strings.
from support import show


def f(x):
    return x == None, x != None, x == "a", x != "a"


def g(x):
    return x < "a"


show(f, 1, 0.5, True)
show(g, 1, 0.5)
