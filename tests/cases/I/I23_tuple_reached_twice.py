# I23: a tuple that is reached on two ways is one tuple after the call was left.

from support import show

numbers = iter(range(0, 10**6))


def f(x):
    t = ([x], x)
    d = {"t": t}
    next(numbers)
    return d["t"] is t, d["t"][0] is t[0]


show(f, 1, 0.5)
