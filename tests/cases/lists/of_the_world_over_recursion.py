# Lists, dicts and sets of the world that are changed by a function which waits for a recursive one, when that one leaves:
# what has been done by then is there.
from snekpy import stage
from support import run

NUMBERS = [1] * 60
GRID = [[i] * 3 for i in range(40)]
TABLE = {i: i for i in range(60)}
MEMBERS = set(range(60))


def down(i, j):
    if i <= 0:
        return 1 // j
    return down(i - 1, j) + 1


def appended(n, j):
    for i in range(n):
        NUMBERS.append(i)
    return down(n, j)


def assigned(n, j):
    for i in range(n):
        NUMBERS[i] += 1
    return down(n, j)


def in_rows(n, j):
    for i in range(n):
        GRID[i][1] += 1
        GRID.append([n, i, 7])
    return down(n, j)


def in_a_dict(n, j):
    for i in range(n):
        TABLE[100 + i + n] = i
        TABLE[i] += 1
    return down(n, j)


def in_a_set(n, j):
    for i in range(n):
        MEMBERS.add(100 + i + n)
        MEMBERS.discard(i)
    return down(n, j)


def grow(i, j):
    NUMBERS.append(i)
    if i <= 0:
        return 1 // j
    found = grow(i - 1, j) + 1
    NUMBERS[-1] += 1
    return found


def by_both(n, j):
    for i in range(n):
        NUMBERS.append(i)
    return grow(n, j)


for function in (appended, assigned, in_rows, in_a_dict, in_a_set, by_both):
    staged = stage(function)
    for call in ((3, 1), (3, 1), (4, 0), (5, 0), (2, 1), (6, 0), (1, 1)):
        run(function, staged, (call,))
        print(NUMBERS[:6], NUMBERS[60:], GRID[:5], GRID[40:], list(TABLE.items())[:6], len(TABLE), sorted(MEMBERS)[55:])
