# A parameter that the function does not have is said to be static.
from snekpy import stage


@stage(static=("m",))
def f(x, n):
    return x * n


print(f(1, 2))
