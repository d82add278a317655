# I02: rows are appended in a loop, and what is there is put together after it.
from support import show


def known_length(x, y):
    rows = []
    for k in range(3):
        rows.append([x * k, y + k])
    columns = [sum(column) for column in zip(*rows)]
    return rows, columns, max(max(row) for row in rows)


def conditional(x, y):
    kept = []
    for v in (x, y, x - y):
        if v > 0:
            kept.append(v)
    return len(kept), sum(kept), kept


def unknown_length(n):
    rows = []
    i = 0
    while i < n:
        rows.append((i, i * 0.5))
        i += 1
    total = 0
    for a, b in rows:
        total += a + b
    return len(rows), total, rows[-1] if rows else None


def extended(x, n):
    out = [x]
    for i in range(n):
        out += [i, x]
        out.extend((i + 0.5,))
    out.insert(0, "first")
    return out


show(known_length, (1, 2), (0.5, -3))
show(conditional, (2, 1), (1, 2), (-1, -2), (-2, -1), (0.5, 0))
show(unknown_length, 3, 0, 1)
show(extended, (7, 2), (7, 0))
