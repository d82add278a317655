# A list of lists that grows: rows with items of two kinds are no lists of numbers.
from snekpy import stage


@stage(strict=True)
def table(n):
    rows = []
    for i in range(n):
        rows.append([i, (i, i)])
    return rows


print(table(3))
