# A tuple that grows.
from snekpy import stage


@stage
def collect(n):
    items = ()
    for i in range(n):
        items = items + (i,)
    return items


print(collect(3))
