# I23: a tuple that is reached on two ways is one tuple after the call was left.
import itertools

from support import show

numbers = itertools.count()


def f(x):
    t = ([x], x)
    d = {"t": t}
    next(numbers)
    return d["t"] is t, d["t"][0] is t[0]


show(f, 1, 0.5)
