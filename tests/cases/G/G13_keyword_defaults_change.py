# G13: the defaults of keyword-only parameters change between the calls.
from snekpy import stage


def helper(x, *, y=1):
    return x, y


@stage
def f(x):
    return helper(x)


print(f(1))
helper.__kwdefaults__["y"] = 7
print(f(1))
helper.__kwdefaults__ = {"y": 8}
print(f(1))
