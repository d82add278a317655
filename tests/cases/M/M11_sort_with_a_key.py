# M11: a list of staged numbers is sorted in place with a key.
from support import show


def f(x):
    l = [3, 1, x]
    l.sort(key=lambda v: -v)
    return l


show(f, 1, 5)
