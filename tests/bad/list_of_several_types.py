# A list that begins with an int and gets floats: the error says which, and what to begin with.
from snekpy import stage


@stage(strict=True)
def halves(n):
    items = [0]
    for i in range(n):
        items.append(i / 2)
    return items


print(halves(3))
