"""Lists, dicts and sets of numbers of the world, large ones: read and changed, known by several names, held by others, changed by
those that are called."""

import re

from snekpy import stage

DATA = [((i * 7919) % 1000) / 10 for i in range(600)]
GRID = [[(i * j) % 7 for j in range(20)] for i in range(20)]
TABLE = {i: i * i for i in range(300)}
SEEN = set(range(0, 900, 3))
ALL = [DATA, GRID]
ROW = GRID[4]
LOG = list(range(400))


@stage
def reads(n):
    t = 0.0
    for i in range(n):
        t += DATA[i % 600] + GRID[i % 20][i % 7] + TABLE[i % 300] + (i in SEEN)
    return t, len(DATA), len(GRID), sum(DATA[:3]), DATA[-1], DATA[n % 5 : n % 5 + 2] if n < 0 else None


print(reads(700), reads(5), reads(0))
DATA[3] = 0.5
GRID[2][1] = 50
TABLE[7] = -1
SEEN.discard(0)
print(reads(700), reads(5))
TABLE[7] = 2.5
DATA[4] = 7
print(reads(700), reads(50))
DATA[4] = 7.0
TABLE[7] = 7
GRID.append([1] * 20)
print(reads(70))
GRID.pop()
try:
    print(reads(700), DATA.clear(), reads(3))
except ZeroDivisionError as error:
    print(error)
except IndexError as error:
    print("empty", error)
DATA[:] = [float(i) for i in range(600)]
print(reads(700))


@stage
def writes(n):
    for i in range(n):
        DATA[i % 600] = DATA[(i * 3) % 600] * 0.5 + i
        GRID[i % 20][3] += i
        TABLE[i % 350] = TABLE.get(i, 0) + 1
        SEEN.add(i * 5)
        LOG.append(i)
    return DATA[3], LOG[-1]


def state():
    return sum(DATA), sum(map(sum, GRID)), sum(TABLE.values()), len(TABLE), len(SEEN), len(LOG), ROW[3], ALL[0][2]


for n in (3, 400, 3, 0, 1000):
    print(writes(n), state(), ROW is GRID[4], ALL[0] is DATA)


@stage
def fails(n):
    for i in range(n):
        DATA[i] += 1.0
        GRID[i % 20][0] = i
    return n


for n in (3, 601, 10, 700):
    try:
        print(fails(n), state())
    except IndexError as error:
        print(error, error.__traceback__.tb_next.tb_lineno - fails.__code__.co_firstlineno, state())


@stage
def by_both_names(n):
    t = 0
    for i in range(n):
        GRID[i % 20][2] = i
        t += ROW[2] + ALL[1][4][2] + ALL[0][i]
        ROW[2] = -i
        t += GRID[4][2]
    return t


print(by_both_names(50), by_both_names(30), state())


@stage
def passed(xs, n):
    t = 0
    for i in range(n):
        xs[i] = i
        t += DATA[i] + GRID[4][i % 20]
    return t


print(passed(DATA, 30), passed([0] * 40, 30), passed(ROW, 20), passed(DATA, 30), passed(GRID[3], 20), state())


def other(match):
    DATA[5] += 100.0
    TABLE[9] = 9000
    GRID[4][1] += 1
    return match[0]


@stage
def calls_back(text, n):
    t = 0.0
    for i in range(n):
        DATA[5] += 1.0
        t += DATA[5] + TABLE[9] + GRID[4][1]
        text = re.sub("a", other, text)
        t += DATA[5] + TABLE[9] + GRID[4][1]
    return t, text


for n in (1, 4, 4, 0, 6):
    TABLE[9] = n
    print(calls_back("banana", n), DATA[5], state())


class Holder:
    def __init__(self):
        self.rows = [[0.0] * 20 for _ in range(20)]
        self.items = list(range(500))

    @stage
    def step(self, n):
        for i in range(n):
            self.rows[i % 20][i % 3] += i
            self.items[i] = self.items[i + 1] + LOG[i]
        return sum(self.rows[1]) + self.items[0]


one, two = Holder(), Holder()
two.rows[3] = one.rows[2]
print([it.step(n) for n in (5, 100, 300) for it in (one, two)], one.rows[2][:4], two.rows[3][:4], sum(two.items))


@stage
def again(n, depth):
    if depth == 0:
        DATA[0] += 1.0
        return DATA[0]
    t = 0.0
    for i in range(n):
        t += DATA[i]
    return t + again(n, depth - 1) + DATA[0]


print(again(3, 3), again(300, 2), DATA[0])
same = DATA[7]
print(stage(lambda i: DATA[i])(7) is same, stage(lambda i: (DATA[i], GRID[i % 20]))(7)[1] is GRID[7])
DATA[8] = float("nan")
print(stage(lambda n: [i for i in range(n) if DATA[i] != DATA[i]])(20), stage(lambda x: x in DATA)(DATA[8]))


@stage
def replaces(n):
    for i in range(n):
        GRID[i % 20] = [i] * 20
    return GRID[0][0]


print(replaces(3), ROW is GRID[4], replaces(30), ROW is GRID[4], reads(100))
