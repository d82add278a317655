# Lists of characters and of complex numbers among the arguments: compiled code is given the numbers that these are made of,
# whatever they are, and items that stay what they were stay the objects that they were.
from snekpy import stage

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
VALUES = {"a": 1, "b": 2, "c": 30}


def near(rows):
    found = []
    for i in range(len(rows)):
        for j in range(len(rows[i])):
            count = 0
            for a in (-1, 0, 1):
                for b in (-1, 0, 1):
                    if (a or b) and 0 <= i + a < len(rows) and 0 <= j + b < len(rows[i]):
                        count += rows[i + a][j + b] == "#"
            found.append(count)
    return found


def moved(rows):
    new = [["."] * len(row) for row in rows]
    for i, row in enumerate(rows):
        for j, c in enumerate(row):
            if c == "#":
                new[i][(j + 1) % len(row)] = "#"
    return new


def painted(rows, c):
    for row in rows:
        for j in range(0, len(row), 2):
            row[j] = c
    return len(rows)


def winner(board):
    for a, b, c in LINES:
        if board[a] != " " and board[a] == board[b] == board[c]:
            return board[a]
    return None if " " in board else "draw"


def best(board, player):
    won = winner(board)
    if won == "X":
        return 1
    if won == "O":
        return -1
    if won == "draw":
        return 0
    scores = []
    for i in range(9):
        if board[i] == " ":
            board[i] = player
            scores.append(best(board, "O" if player == "X" else "X"))
            board[i] = " "
    return max(scores) if player == "X" else min(scores)


def counted(items):
    counts = {}
    for c in items:
        counts[c] = counts.get(c, 0) + 1
    return counts


def total(items):
    return sum(VALUES.get(c, 0) for c in items), [VALUES[c] for c in items if c in VALUES]


def turned(items):
    items.reverse()
    items.append("!")
    items[0] = items[len(items) // 2]
    return items.index("!"), items.count("a"), "".join(items), sorted(items)


def swapped(items, i, j):
    items[i], items[j] = items[j], items[i]
    return items


def doubled(items):
    for i in range(len(items)):
        items[i] = items[i] + items[i]
    return items


def squares(points):
    sum = 0j
    for i, z in enumerate(points):
        sum += z * z
        if z.real > 1:
            points[i] = z.conjugate()
    return sum, points


def weights(pairs):
    found = 0
    for c, n in pairs:
        if c == "a":
            found += n
    pairs.append(("z", found))
    return found, pairs[-1]


def fails(rows, at):
    for i, row in enumerate(rows):
        row[0] = "x"
        if row[at] == "#":
            return i
    raise LookupError(len(rows))


def of_one(rows, row):
    row[0] = "!"
    return "".join(rows[0])


def names(words):
    return [word for word in words if word[0] == "a"], len(words), words


def is_same(items, one):
    return items[0] is one, one in items


for function in (
    near, moved, painted, winner, best, counted, total, turned, swapped, doubled, squares, weights, fails, of_one, names, is_same,
):  # fmt: skip
    globals()[function.__name__] = stage(function)


def board(number):
    cells = []
    for _ in range(9):
        number, cell = divmod(number, 3)
        cells.append("XO "[cell])
    return cells


for number in range(7):
    rows = [["#" if (i * j + number) % 3 == 1 else "." for j in range(number * 3 % 8)] for i in range(number)]
    print(near(rows), moved(rows), rows)
    before = [list(row) for row in rows]
    print(painted(rows, "%"), rows)
    print([[a is b for a, b in zip(*both)] for both in zip(rows, before)])
    for at in 0, 1, 7:
        try:
            print(fails(rows, at))
        except LookupError as error:
            print(type(error).__name__, error, error.__traceback__.tb_next.tb_lineno, rows)
for number in range(0, 3**9, 997):
    cells = board(number)
    print(winner(cells), best(cells, "X"), cells)
for text in "abcabcadd", "", "hello, world: aa", "abc" * 20, "é\U0001f600ü" * 9:
    items = list(text)
    print(counted(items), total(items), turned(items), items)
    before = list(items)
    print(swapped(items, 0, -1), [a == b for a, b in zip(items, before)], doubled(items), doubled(items))
for n in 1, 3, 20, 50, 51:
    points = [complex(i - 5, i) for i in range(n)]
    print(squares(points), points)
    pairs = [("abc"[i % 3], i) for i in range(n)]
    print(weights(pairs), pairs[:3])
    rows = [list("ab#c") for _ in range(n)]
    print(of_one(rows, rows[0]), of_one(rows, rows[-1]), rows[0])
    print(of_one(rows, list("other")))
    print(names(["a", "b"] * n), names(["ab", "b"] * n), names(list("abc") * n))
    one = "".join(["o", "ne"])
    print(is_same([one] + list("xyz") * n, one), is_same(list("xyz") * n, one))
