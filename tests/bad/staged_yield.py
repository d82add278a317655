# A generator cannot be the staged function itself.
from snekpy import stage


@stage
def numbers(n):
    while n > 0:
        yield n
        n -= 1


print(list(numbers(3)))
