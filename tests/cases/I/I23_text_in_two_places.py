# I23: one text in two places is one text, on return and after the call was left.

from snekpy import stage

numbers = iter(range(0, 10**6))


@stage
def returned(x):
    s = f"{x}"
    return s, (s,)


@stage
def resumed(x):
    s = f"{x}"
    t = (s,)
    next(numbers)
    return t[0] is s


@stage
def raised(x):
    s = f"{x}"
    e = KeyError(s)
    next(numbers)
    return e.args[0] is s


a, (b,) = returned(0.5)
print(a is b, resumed(0.5), raised(0.5))
