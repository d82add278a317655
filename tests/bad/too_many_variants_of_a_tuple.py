# A tuple that grows.
from snekpy import stage


@stage(strict=True)
def collect(n):
    items = ()
    for i in range(n):
        items = items + (i,)
    return items


print(collect(3))
