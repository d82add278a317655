# An exception of the user's own class, raised under a staged condition.
from snekpy import stage


class TooSmall(ValueError):
    pass


@stage
def root(x):
    if x < 0:
        raise TooSmall("no root of a negative number")
    return x**0.5


print(root(4.0))
print(root(-4.0))
