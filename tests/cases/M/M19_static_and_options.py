# M: the two ways of making a parameter static, and `stage` as a decorator with options.
from snekpy import Static, stage


@stage(static=("n",))
def f(x, n):
    return x * n if n > 2 else x + n


@stage
def g(x, n: Static = 2):
    return x * n if n > 2 else x + n


print(f(10, 2), f(10, 3), f(0.5, n=3))
print(g(10), g(10, 3), g(0.5, n=3))
