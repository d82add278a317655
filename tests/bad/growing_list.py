# The items of a list that grows in a captured loop are numbers, or tuples of one length.
from snekpy import stage


@stage(strict=True)
def collect(n):
    items = [0.5]
    for i in range(n):
        items.append((i, i))
    return items


print(collect(3))
