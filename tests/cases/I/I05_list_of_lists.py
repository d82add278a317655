# I05: a list of lists is built, filled and read.
from support import show


def filled(x):
    rows = []
    for i in range(2):
        row = []
        for j in range(3):
            row.append(x + i * j)
        rows.append(row)
    return rows


def filled_by_index(x, i, j):
    rows = [[0] * 3 for _ in range(2)]
    rows[i][j] = x
    rows[1][-1] += x
    return rows


def one_row_twice(x):
    row = [0, 0]
    rows = [row, row, row[:]]
    rows[0][1] = x
    rows[2][0] = -x
    return rows, rows[0] is rows[1], rows[0] is rows[2]


def multiplied(x):
    rows = [[x]] * 2
    rows[0].append(1)
    return rows


def triangle(n):
    rows = []
    for i in range(n):
        rows.append([1])
        for j in range(i):
            rows[i].append(rows[i][j] * (i - j) // (j + 1))
    return rows


def transposed(m):
    return [[row[i] for row in m] for i in range(len(m[0]))], [list(t) for t in zip(*m)]


show(filled, 1, 0.5)
show(filled_by_index, (7, 0, 0), (7, 1, 2), (7, -1, -3), (7, 2, 0), (0.5, 0, 3))
show(one_row_twice, 5, 0.5)
show(multiplied, 5)
show(triangle, 4, 0, 1)
show(transposed, ([[1, 2], [3, 4], [5, 6]],), ([[0.5, 1]],))
