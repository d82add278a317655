# An assertion without a message, in a loop.
from snekpy import stage


@stage
def checked(n):
    while n > 0:
        n -= 2
        assert n != 1
    return n


print(checked(4))
print(checked(5))
