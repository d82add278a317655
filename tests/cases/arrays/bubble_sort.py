# A sort in place.
from array import array

from snekpy import stage


@stage
def sort(a):
    n = len(a)
    swaps = 0
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swaps += 1
    return swaps


for items in ([5, 3, 9, 1, 1, -4], [], [1], [1, 2, 3], [3, 2, 1]):
    a = array("d", items)
    print(sort(a), a.tolist())
    b = array("q", items)
    print(sort(b), b.tolist())
