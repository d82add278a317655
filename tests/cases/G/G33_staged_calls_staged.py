# G33: a staged function calls a staged function.
from snekpy import stage


@stage
def inner(x):
    return x * 2 if x > 0 else x


@stage
def outer(x):
    return inner(x) + inner(-x)


print(inner(3), outer(3), outer(-3), outer(0.5))
