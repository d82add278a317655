# I09: two names of one list.
from support import show


def f(x):
    l = [x, 1]
    a = l
    a[0] = x + 1
    a.append(2)
    return l, a is l, l[0]


show(f, 3, 0.5)
