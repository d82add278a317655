# A list of lists that grows: rows with items of two types are no lists of numbers.
from snekpy import stage


@stage(strict=True)
def table(n):
    rows = []
    for i in range(n):
        rows.append([i, i * 0.5])
    return rows


print(table(3))
