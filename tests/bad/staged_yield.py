# A generator cannot be the staged function itself, where nothing may be left to plain Python.
from snekpy import stage


@stage(strict=True)
def numbers(n):
    while n > 0:
        yield n
        n -= 1


print(list(numbers(3)))
