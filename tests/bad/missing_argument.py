# An argument is missing.
from snekpy import stage


@stage
def add(a, b):
    return a + b


print(add(1))
