# A list that grows in a loop whose number of iterations is staged.
from snekpy import stage


@stage(strict=True)
def collect(n):
    items = []
    for i in range(n):
        items.append(i)
    return items


print(collect(3))
