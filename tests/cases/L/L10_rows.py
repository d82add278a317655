# L10: iteration over the rows of a matrix: a list of arrays, or one array read in strides.
from array import array

from support import show
from snekpy import stage


def row_sums(m):
    sums = []
    for row in m:
        total = 0
        for v in row:
            total += v
        sums.append(total)
    return sums


def strided(a, rows, columns):
    best = None
    for r in range(rows):
        total = 0
        for c in range(columns):
            total += a[r * columns + c]
        if best is None or total > best:
            best = total
            at = r
    return best, at


def scaled(m, x):
    for i, row in enumerate(m):
        if i % 2:
            continue
        for j in range(len(row)):
            row[j] *= x
    return m[-1][-1]


def first_row_with(m, wanted):
    for i, row in enumerate(m):
        for v in row:
            if v == wanted:
                return i, row.tolist()
    else:
        return "none"


def pairs(m):
    a, b = m
    return [x * y for x, y in zip(a, b)], sum(a), max(b, default=0)


def print_rows(function, *calls):
    staged = stage(function)
    for m, *args in calls:
        print(function.__name__, *args, "=", staged(m, *args), [row.tolist() for row in m])


FLAT = array("q", [1, 2, 3, 9, 1, 0])
print_rows(row_sums, ([array("d", [1, 2]), array("d", [3]), array("d")],), ([],), ((array("q", [4]), array("d", [0.5])),))
show(strided, (FLAT, 2, 3), (FLAT, 3, 2), (FLAT, 1, 0), (FLAT, 0, 3), (FLAT, 4, 2))
matrix = [array("d", [1, 2]), array("d", [3, 4]), array("d", [5])]
print_rows(scaled, (matrix, 2), (matrix, 0.5), ([array("q", [3]), array("q", [3])], 2))
print_rows(first_row_with, (matrix, 4), (matrix, 5), (matrix, -1))
print_rows(pairs, ([array("q", [1, 2]), array("d", [0.5, 3])],), ([array("q"), array("q")],))
