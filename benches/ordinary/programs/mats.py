from itertools import count

FRESH = count()


def rotate(grid):
    return [list(row) for row in zip(*grid[::-1])]


def transpose(grid):
    return list(map(list, zip(*grid)))


def turn(grid, n):
    for _ in range(n):
        grid = rotate(grid)
        grid = transpose(grid)
    return grid


def column_stats(rows):
    return [(min(col), max(col), sum(col) / len(col)) for col in zip(*rows)]


def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


def multiply_loops(a, b):
    n, m, p = len(a), len(b), len(b[0])
    out = [[0.0] * p for _ in range(n)]
    for i in range(n):
        for j in range(p):
            for k in range(m):
                out[i][j] += a[i][k] * b[k][j]
    return out


def blur(image):
    h, w = len(image), len(image[0])
    out = []
    for y in range(h):
        row = []
        for x in range(w):
            total = n = 0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if 0 <= y + dy < h and 0 <= x + dx < w:
                        total += image[y + dy][x + dx]
                        n += 1
            row.append(total // n)
        out.append(row)
    return out


def convolve(image, kernel):
    k = len(kernel) // 2
    h, w = len(image), len(image[0])
    return [
        [
            sum(kernel[j][i] * image[y + j - k][x + i - k] for j in range(2 * k + 1) for i in range(2 * k + 1))
            for x in range(k, w - k)
        ]
        for y in range(k, h - k)
    ]


def histogram(image, bins):
    counts = [0] * bins
    for row in image:
        for p in row:
            counts[p * bins // 256] += 1
    return counts


def equalise(image):
    counts = [0] * 256
    for row in image:
        for p in row:
            counts[p] += 1
    total, table = 0, []
    for c in counts:
        total += c
        table.append(total)
    n = table[-1]
    return [[table[p] * 255 // n for p in row] for row in image]


def cholesky(a):
    n = len(a)
    low = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = sum(low[i][k] * low[j][k] for k in range(j))
            if i == j:
                low[i][j] = (a[i][i] - s) ** 0.5
            else:
                low[i][j] = (a[i][j] - s) / low[j][j]
    return low


def lu(a):
    n = len(a)
    a = [row[:] for row in a]
    order = list(range(n))
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        if p != k:
            a[k], a[p] = a[p], a[k]
            order[k], order[p] = order[p], order[k]
        for i in range(k + 1, n):
            a[i][k] /= a[k][k]
            for j in range(k + 1, n):
                a[i][j] -= a[i][k] * a[k][j]
    return a, order


def jacobi(a, b, rounds):
    n = len(b)
    x = [0.0] * n
    for _ in range(rounds):
        x = [(b[i] - sum(a[i][j] * x[j] for j in range(n) if j != i)) / a[i][i] for i in range(n)]
    return x


def power_iteration(a, rounds):
    v = [1.0] * len(a)
    for _ in range(rounds):
        w = [sum(x * y for x, y in zip(row, v)) for row in a]
        norm = max(abs(x) for x in w)
        v = [x / norm for x in w]
    return norm, v[:3]


def gram_schmidt(vectors):
    basis = []
    for v in vectors:
        w = v[:]
        for b in basis:
            d = sum(x * y for x, y in zip(w, b))
            w = [x - d * y for x, y in zip(w, b)]
        norm = sum(x * x for x in w) ** 0.5
        if norm > 1e-9:
            basis.append([x / norm for x in w])
    return basis


def spiral(grid):
    out = []
    while grid:
        out += grid[0]
        grid = [list(row) for row in zip(*grid[1:])][::-1]
    return out


def distance(grid):
    h, w = len(grid), len(grid[0])
    far = h + w
    d = [[0 if cell else far for cell in row] for row in grid]
    for y in range(h):
        for x in range(w):
            if y:
                d[y][x] = min(d[y][x], d[y - 1][x] + 1)
            if x:
                d[y][x] = min(d[y][x], d[y][x - 1] + 1)
    for y in range(h - 1, -1, -1):
        for x in range(w - 1, -1, -1):
            if y + 1 < h:
                d[y][x] = min(d[y][x], d[y + 1][x] + 1)
            if x + 1 < w:
                d[y][x] = min(d[y][x], d[y][x + 1] + 1)
    return d


def life(cells, steps):
    for _ in range(steps):
        near = {}
        for x, y in cells:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        key = x + dx, y + dy
                        near[key] = near.get(key, 0) + 1
        cells = {key for key, n in near.items() if n == 3 or n == 2 and key in cells}
    return len(cells)


def magic(n):
    square = [[0] * n for _ in range(n)]
    r, c = 0, n // 2
    for k in range(1, n * n + 1):
        square[r][c] = k
        nr, nc = (r - 1) % n, (c + 1) % n
        if square[nr][nc]:
            nr, nc = (r + 1) % n, c
        r, c = nr, nc
    return square


def is_magic(square):
    n = len(square)
    want = n * (n * n + 1) // 2
    sums = [sum(row) for row in square] + [sum(col) for col in zip(*square)]
    sums += [sum(square[i][i] for i in range(n)), sum(square[i][n - 1 - i] for i in range(n))]
    return all(s == want for s in sums)


def saddle_points(grid):
    return [
        (r, c)
        for r, row in enumerate(grid)
        for c, v in enumerate(row)
        if v == max(row) and v == min(other[c] for other in grid)
    ]


def min_path(grid):
    costs = grid[0][:]
    for c in range(1, len(costs)):
        costs[c] += costs[c - 1]
    for row in grid[1:]:
        costs[0] += row[0]
        for c in range(1, len(row)):
            costs[c] = row[c] + min(costs[c], costs[c - 1])
    return costs[-1]


def prefix_sums(grid):
    h, w = len(grid), len(grid[0])
    sums = [[0] * (w + 1)]
    for y in range(h):
        row = [0]
        for x in range(w):
            row.append(row[-1] + grid[y][x] + sums[y][x + 1] - sums[y][x])
        sums.append(row)
    return sums


def render(grid, shades=" .:-=+*#%@"):
    return "\n".join("".join(shades[v * len(shades) // 256] for v in row) for row in grid)


def strassen(a, b):
    n = len(a)
    if n <= 2:
        return multiply_loops(a, b)
    h = n // 2

    def part(m, r, c):
        return [row[c : c + h] for row in m[r : r + h]]

    def add(x, y, k=1.0):
        return [[p + k * q for p, q in zip(r, s)] for r, s in zip(x, y)]

    a11, a12, a21, a22 = part(a, 0, 0), part(a, 0, h), part(a, h, 0), part(a, h, h)
    b11, b12, b21, b22 = part(b, 0, 0), part(b, 0, h), part(b, h, 0), part(b, h, h)
    c11 = add(strassen(a11, b11), strassen(a12, b21))
    c12 = add(strassen(a11, b12), strassen(a12, b22))
    c21 = add(strassen(a21, b11), strassen(a22, b21))
    c22 = add(strassen(a21, b12), strassen(a22, b22))
    return [x + y for x, y in zip(c11, c12)] + [x + y for x, y in zip(c21, c22)]


def matrix(n, k):
    return [[float((i * 7 + j * 3 + k) % 11) + (20.0 if i == j else 0.0) for j in range(n)] for i in range(n)]


def symmetric(n, k):
    return [[float((i * j + k) % 5) + (30.0 if i == j else 0.0) for j in range(n)] for i in range(n)]


def pixels(n, k):
    return [[(x * 7 + y * 13 + x * y + k * 29) % 256 for x in range(n)] for y in range(n)]


IMAGE = pixels(28, 0)
A, B = matrix(12, 1), matrix(12, 2)


def bench_turn():
    return turn(IMAGE, 6)


def bench_turn_fresh():
    return turn(pixels(20, next(FRESH)), 6)


def bench_columns():
    return column_stats(IMAGE)


def bench_multiply():
    return multiply(A, B)


def bench_multiply_fresh():
    return multiply(matrix(12, next(FRESH)), B)


def bench_loops():
    return multiply_loops(A, B)


def bench_blur():
    return blur(IMAGE)


def bench_blur_fresh():
    return blur(pixels(20, next(FRESH)))


def bench_convolve():
    return convolve(IMAGE, [[0, -1, 0], [-1, 5, -1], [0, -1, 0]])


def bench_histogram():
    return histogram(pixels(40, next(FRESH)), 16)


def bench_equalise():
    return equalise(pixels(40, next(FRESH)))


def bench_cholesky():
    return cholesky(symmetric(14, next(FRESH)))


def bench_lu():
    return lu(matrix(14, next(FRESH)))


def bench_jacobi():
    return jacobi(A, [1.0 * i for i in range(12)], 15)


def bench_power():
    return power_iteration(symmetric(14, next(FRESH)), 20)


def bench_gram():
    return len(gram_schmidt(matrix(14, next(FRESH))))


def bench_spiral():
    return spiral(IMAGE)


def bench_distance():
    k = next(FRESH)
    return distance([[(x * 7 + y * 5 + k) % 13 == 0 for x in range(30)] for y in range(30)])


def bench_life():
    return life({(0, 1), (1, 2), (2, 0), (2, 1), (2, 2), (5, 5), (5, 6), (5, 7)}, 20)


def bench_magic():
    return is_magic(magic(21))


def bench_saddle():
    return saddle_points(pixels(16, next(FRESH)))


def bench_min_path():
    return min_path(pixels(40, next(FRESH)))


def bench_prefix():
    return prefix_sums(pixels(30, next(FRESH)))[-1][-1]


def bench_render():
    return render(IMAGE)


def bench_render_fresh():
    return render(pixels(30, next(FRESH)))


def bench_strassen():
    return strassen(matrix(8, next(FRESH)), matrix(8, 3))
