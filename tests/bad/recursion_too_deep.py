# Recursion with a base case that is never reached.
from snekpy import stage


@stage
def down(n):
    if n == 0:
        return 0
    return 1 + down(n - 1)


print(down(5))
print(down(-1))
