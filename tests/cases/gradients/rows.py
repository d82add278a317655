# Lists of lists, lists that are made in loops and in functions that are called, and sorting.
import math

from snekpy import grad, stage
from support import rounded


def rows_in_loop(x, n):
    total = 0.0
    for i in range(n):
        row = [x * j for j in range(i)]
        row.append(math.sin(x))
        total += sum(row) * row[-1]
    return total


def table(x, n):
    rows = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            rows[i][j] = x * i - j + (rows[i - 1][j] * 0.5 if i else 0.0)
    return sum(sum(row) for row in rows)


def kept(x, n):
    rows = []
    for i in range(n):
        rows.append([x * j * i for j in range(n)])
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += rows[i][j] * rows[j][i]
    while len(rows) > 2:
        last = rows.pop()
        last[0] = rows[0][-1] * x
        rows[0] = last
        total += last[0] - sum(rows[1])
    return total


def shared(x, n):
    row = [x, x * x]
    rows = [row] * n
    for i in range(n):
        rows[i][i % 2] = math.sin(rows[i - 1][0]) + x
    rows.insert(1, [x * 3.0, x])
    del rows[0]
    return row[0] * row[1] + sum(rows[0])


def pairwise(x, n):
    items = [math.sin(x * i) for i in range(n)]
    while len(items) > 1:
        items = [items[2 * i] + 0.5 * items[2 * i + 1] ** 2 for i in range(len(items) // 2)]
    return items[0]


def halves(items):
    if len(items) <= 1:
        return items[0] if items else 0.0
    middle = len(items) // 2
    return math.sin(halves(items[:middle])) * 0.9 + halves(items[middle:])


def vector(x, i, n):
    made = []
    for j in range(n):
        made.append(x * i + j)
    return made


def of_function(x, n):
    total = 0.0
    for i in range(n):
        made = vector(x, i, n)
        made[0] = made[-1] * x
        total += made[i] * made[0]
    return total


def ranks(x, n):
    items = [math.sin(x * i) for i in range(n)]
    items.sort(reverse=True)
    total = 0.0
    for i in range(n):
        total += items[i] * i
    return total


def middles(x, n):
    total = 0.0
    for k in range(1, n):
        items = sorted([math.cos(x * i + k) for i in range(k)] + [0.3 * x])
        total += items[0] * 3.0 + items[len(items) // 2] ** 2
    return total


def in_order(items):
    items = sorted(items)
    return items[0] * 3.0 + items[-1] + items[len(items) // 2] ** 2


for f in (rows_in_loop, table, kept, shared, pairwise, of_function, ranks, middles):
    print(f.__name__, rounded([grad(f)(0.3, n) for n in (2, 3, 9, 16)]))
    staged = stage(lambda x, n, f=f: grad(f)(x, n))
    print([staged(0.3, n) == grad(f)(0.3, n) for n in (2, 3, 9, 16)])

numbers = [math.sin(i * 7.0) for i in range(30)]
print(rounded(grad(halves)(numbers)))
for count in (1, 2, 5, 30):
    print(rounded(grad(in_order)(numbers[:count])))
print(rounded(grad(lambda x: grad(kept)(x, 5))(0.3)), rounded(grad(lambda x: grad(ranks)(x, 7))(0.3)))
