# The root of a negative number.
import math

from snekpy import stage


@stage
def root(x):
    return math.sqrt(x)


print(root(4))
print(root(-4))
