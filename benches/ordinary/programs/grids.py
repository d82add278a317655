def transpose(grid):
    return [list(row) for row in zip(*grid)]


def rotate(grid, times):
    for _ in range(times):
        grid = [list(row) for row in zip(*grid[::-1])]
    return grid


def column_sums(grid):
    return [sum(column) for column in zip(*grid)]


def multiply(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def power(a, n):
    result = [[int(i == j) for j in range(len(a))] for i in range(len(a))]
    while n:
        if n & 1:
            result = multiply(result, a)
        a = multiply(a, a)
        n >>= 1
    return [[value % 1000007 for value in row] for row in result]


def determinant(matrix):
    if len(matrix) == 1:
        return matrix[0][0]
    total = 0
    for col in range(len(matrix)):
        minor = [row[:col] + row[col + 1 :] for row in matrix[1:]]
        total += (-1) ** col * matrix[0][col] * determinant(minor)
    return total


def determinant_lu(matrix):
    m = [row[:] for row in matrix]
    n, det = len(m), 1.0
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(m[r][i]))
        if m[pivot][i] == 0:
            return 0.0
        if pivot != i:
            m[i], m[pivot] = m[pivot], m[i]
            det = -det
        det *= m[i][i]
        for r in range(i + 1, n):
            factor = m[r][i] / m[i][i]
            for c in range(i, n):
                m[r][c] -= factor * m[i][c]
    return det


def spiral(grid):
    out = []
    while grid:
        out += grid.pop(0)
        grid = [list(row) for row in zip(*grid)][::-1]
    return out


def neighbours(grid):
    rows, cols = len(grid), len(grid[0])
    result = []
    for r in range(rows):
        line = []
        for c in range(cols):
            count = 0
            for dr in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    if (dr or dc) and 0 <= r + dr < rows and 0 <= c + dc < cols:
                        count += grid[r + dr][c + dc]
            line.append(count)
        result.append(line)
    return result


GRID = [[(r * 17 + c * 5) % 23 for c in range(80)] for r in range(80)]
SMALL = [[(r * 7 + c * 3 + r * c) % 11 - 4 for c in range(6)] for r in range(6)]
FLOATS = [[((r * 7 + c * 3 + r * c) % 11 - 4) * 0.5 for c in range(24)] for r in range(24)]


def bench_transpose():
    return transpose(GRID)


def bench_rotate():
    return rotate(GRID, 12)


def bench_columns():
    return column_sums(GRID)


def bench_power():
    return power([row[:12] for row in GRID[:12]], 10)


def bench_det():
    return determinant(SMALL)


def bench_lu():
    return round(determinant_lu(FLOATS), 6)


def bench_spiral():
    return spiral([row[:] for row in GRID])


def bench_neighbours():
    return neighbours(GRID)
