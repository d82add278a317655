# C05: a loop inside a loop; the inner variable starts afresh.
from support import show


def sums(n, m):
    total = 0
    rows = 0
    i = 0
    while i < n:
        j = 0
        row = 0
        while j < m:
            row += i * 10 + j
            j += 1
        total = total * 1000 + row
        rows += 1
        i += 1
    return total, rows


show(sums, (3, 4), (1, 1), (0, 4), (3, 0))
