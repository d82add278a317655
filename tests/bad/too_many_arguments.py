# Too many arguments for a staged function.
from snekpy import stage


@stage
def add(a, b):
    return a + b


print(add(1, 2))
print(add(1, 2, 3))
