# An option that `stage` does not have.
from snekpy import stage


@stage(speed="high")
def f(x):
    return x


print(f(1))
