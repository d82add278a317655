# A keyword that the function does not have.
from snekpy import stage


@stage
def add(a, b=1):
    return a + b


print(add(1, c=2))
