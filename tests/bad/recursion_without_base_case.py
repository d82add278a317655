# Recursion without a base case.
from snekpy import stage


@stage
def forever(n):
    return forever(n + 1) + 1


print(forever(0))
