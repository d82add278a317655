# Lists of lists of numbers: made in the call, passed, changed, shared, handed back, and what leaves in the middle.
from support import show


def multiply(a, b):
    n, m, p = len(a), len(b), len(b[0])
    c = [[0.0] * p for _ in range(n)]
    for i in range(n):
        for j in range(p):
            total = 0.0
            for k in range(m):
                total += a[i][k] * b[k][j]
            c[i][j] = total
    return c


def matrix(n, m, by=1.0):
    return [[by * (3 * i - 2 * j) for j in range(m)] for i in range(n)]


def life(grid, steps):
    for _ in range(steps):
        h, w = len(grid), len(grid[0])
        new = [[0] * w for _ in range(h)]
        for y in range(h):
            for x in range(w):
                n = 0
                for dy in (-1, 0, 1):
                    for dx in (-1, 0, 1):
                        if dy or dx:
                            n += grid[(y + dy) % h][(x + dx) % w]
                if n == 3 or (grid[y][x] and n == 2):
                    new[y][x] = 1
        grid = new
    return grid


def triangle(n):
    rows = []
    for i in range(n):
        row = [1]
        for j in range(1, i):
            row.append(rows[-1][j - 1] + rows[-1][j])
        if i:
            row.append(1)
        rows.append(row)
    return rows


def in_place(rows, by):
    for i in range(len(rows)):
        for j in range(len(rows[i])):
            rows[i][j] = rows[i][j] * by
    rows.append([by])
    rows[0].append(by)
    return rows


def swapped(rows, i, j):
    rows[i], rows[j] = rows[j], rows[i]
    rows[i][0] = -rows[i][0]
    return rows[i]


def shared(n):
    row = [0] * n
    rows = [row] * n
    rows[0][1] = 5
    more = [row, [0] * n, row]
    for i in range(3):
        more[i][i] += i + 1
    return rows, more, row


def one_row_is_kept(n):
    kept = [0]
    rows = []
    for i in range(n):
        rows.append([i])
        if i % 3 == 1:
            kept = rows[i]
        kept[0] += 10
    return rows, kept


def taken_out(rows):
    gone = []
    while len(rows) > 2:
        row = rows.pop()
        row.append(0.5)
        gone.append(row)
    return gone


def sums(rows):
    return [sum(row) for row in rows], max(rows[0]), [len(row) for row in rows]


def copies(rows):
    shallow = list(rows)
    cut = rows[1:]
    deep = [row[:] for row in rows]
    rows[1][0] = 99.0
    return shallow, cut, deep


def by_row(rows):
    best = rows[0]
    for row in rows:
        if row[0] > best[0]:
            best = row
    best[0] = -1.0
    return best


def with_bad_item(rows, at):
    total = 0.0
    for i in range(len(rows)):
        rows[i][0] = total
        total += rows[i][1]
        if i == at:
            rows[i].append("text")
            total += len(rows[i])
    return total


def out_of_range(rows, i, j):
    rows[0][0] += 1.0
    return rows[i][j]


def as_written(rows, i, value):
    rows[i] = value
    value[0] = 7.0
    return rows


def deeper(n):
    cube = [[[0] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                cube[i][j][k] = i * 100 + j * 10 + k
    total = 0
    for plane in cube:
        for row in plane:
            for x in row:
                total += x
    return cube, total


def pairs(data):
    total = 0.0
    for label, row in data:
        for x in row:
            total += x * label
        row[0] = total
    return total


def are_one(rows, i, j):
    return rows[i] is rows[j], rows[i] == rows[j], rows[i] in rows


def gauss(a, b):
    n = len(a)
    m = [row[:] + [b[i]] for i, row in enumerate(a)]
    for c in range(n):
        pivot = c
        for r in range(c + 1, n):
            if abs(m[r][c]) > abs(m[pivot][c]):
                pivot = r
        m[c], m[pivot] = m[pivot], m[c]
        for r in range(c + 1, n):
            f = m[r][c] / m[c][c]
            for k in range(c, n + 1):
                m[r][k] -= f * m[c][k]
    x = [0.0] * n
    for r in range(n - 1, -1, -1):
        x[r] = (m[r][n] - sum(m[r][k] * x[k] for k in range(r + 1, n))) / m[r][r]
    return x


class Grid:
    def __init__(self, rows):
        self.rows = rows

    def __repr__(self):
        return "Grid"


def in_an_object(grid, n):
    rows = grid.rows
    for i in range(n):
        rows[i % 7][i % 5] += 1.0
    return rows[0][0]


def many(n):
    last = []
    for i in range(n):
        last = [[float(i)] * 200 for _ in range(200)]
    return last[3][4], len(last)


def identities(rows, result):
    """Which rows of a result are rows of an argument."""
    return [[a is b for b in rows] for a in result]


show(multiply, (matrix(7, 8), matrix(8, 6)), (matrix(2, 3), matrix(3, 2)), (matrix(12, 40), matrix(40, 9)))
show(life, ([[(3 * i * j + j) % 3 % 2 for j in range(9)] for i in range(8)], 3))
show(triangle, 0, 1, 9, 5)
show(in_place, (matrix(8, 6), 2.0), (matrix(3, 2), 0.5), ([[1.0] * 9, [], [2.0] * 40], 3.0))
show(swapped, (matrix(6, 7), 1, 4), (matrix(6, 7), 2, 2), (matrix(6, 7), -1, 0))
show(shared, 3, 12)
show(one_row_is_kept, 0, 7, 12)
show(taken_out, matrix(7, 6), matrix(1, 40))
show(sums, matrix(7, 6), [[1.0], [2.0, 3.0] * 20, []])
show(copies, matrix(7, 6), matrix(9, 5))
show(by_row, matrix(7, 6), matrix(9, 5))
show(with_bad_item, (matrix(9, 5), 4), (matrix(9, 5), 100))
show(out_of_range, (matrix(7, 6), 6, 5), (matrix(7, 6), 7, 0), (matrix(7, 6), 3, -7), (matrix(7, 6), 3, 1.0))
show(as_written, (matrix(7, 6), 3, [1.0, 2.0]), (matrix(7, 6), 0, [4.0]), (matrix(7, 6), 1, [1, 2]))
show(deeper, 2, 5)
show(pairs, [(1.0, [2.0] * 20), (0.5, [1.0, 2.0]), (2.0, [3.0] * 15)])
rows = matrix(7, 6)
rows[3] = rows[5]
show(are_one, (rows, 3, 5), (rows, 3, 4), (matrix(7, 6), 2, 2))
show(gauss, ([[4.0, 1.0, 2.0], [1.0, 3.0, 0.5], [2.0, 1.0, 5.0]], [1.0, 2.0, 3.0]))
show(gauss, (matrix(6, 6, 0.25), [1.0] * 6))
show(in_an_object, (Grid(matrix(7, 6)), 30))
show(many, 3)

# One object is one object, whatever way it went.
from snekpy import stage

rows = matrix(8, 6)
before = list(rows)
result = stage(in_place)(rows, 2.0)
print(result is rows, identities(before, rows))
staged = stage(swapped)
row = staged(rows, 1, 4)
print(row is before[4], identities(before, rows))
rows = [before[0]] * 9 + [before[1]]
print(stage(by_row)(rows) is before[1], identities(before[:2], rows))
print(stage(multiply)(rows, rows[:6]) == multiply(rows, rows[:6]))
# A row of one argument is another argument, or a row of it.
print(stage(as_written)(rows, 3, before[1]) is rows, rows[3] is before[1])
print(stage(lambda a, b: (a[0][0], b.append(1.0), len(a[0])))(rows, before[0]))
WORLD = before[2]


def through_the_world(rows):
    rows[0][0] = 5.0
    WORLD[0] = WORLD[0] + rows[0][0]
    return rows[0][0]


staged = stage(through_the_world)
print(staged(matrix(8, 6)), WORLD[0], staged([WORLD] * 40), WORLD[0], staged(matrix(8, 6)), WORLD[0])
