# `inspect` of a function that has not been called.
from snekpy import stage


@stage
def f(x):
    return x + 1


print(f.inspect("ir"))
