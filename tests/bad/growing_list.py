# The items of a list that grows in a captured loop have one type.
from snekpy import stage


@stage(strict=True)
def collect(n):
    items = [0.5]
    for i in range(n):
        items.append(i)
    return items


print(collect(3))
