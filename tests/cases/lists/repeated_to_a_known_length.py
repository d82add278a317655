# `[0] * SIZE` where the size is known: too many items to be known one by one.
from support import show

SMALL = 7
SIZE = 1000
LONG = 100_000
WIDTH = 300


def sums(k):
    table = [0] * SIZE
    table[0] = k
    for i in range(1, SIZE):
        table[i] = (table[i - 1] * 31 + i) % 1009
    return table[-1], max(table), sum(table), len(table)


def memo(k):
    known = [None] * LONG
    known[0] = k
    for i in range(1, LONG):
        if known[i] is None:
            known[i] = known[i - 1] + 1
    return known[-1], known[1], known[k]


def sieve(n):
    is_prime = [True] * (LONG + 1)
    is_prime[0] = is_prime[1] = False
    for i in range(2, int(LONG**0.5) + 1):
        if is_prime[i]:
            for j in range(i * i, LONG + 1, i):
                is_prime[j] = False
    return sum(is_prime), [i for i, it in enumerate(is_prime) if it][n]


def grid(k):
    rows = [[0] * WIDTH for _ in range(SMALL)]
    for y in range(SMALL):
        for x in range(WIDTH):
            rows[y][x] = x * y % (k + 2)
    return [sum(row) for row in rows], rows[SMALL - 1][-3:]


def aliased(k):
    rows = [[0] * SMALL] * 400
    rows[3][2] = k
    return rows[399], rows[0] is rows[1], len(rows)


def several(k):
    steps = [1, k, -1] * SIZE
    total = 0
    for i in range(len(steps)):
        total = total * 3 % 1013 + steps[i]
    return total, steps[:4], len(steps)


def reflected(k):
    return len(LONG * [k]), (SIZE * [k, 0.5])[-2:], 300 * [k] == [k] * 300, SIZE * ["a", k] != [k]


def of_no_length(k):
    return [0] * -SIZE, [1, 2] * 0, [] * LONG, [k] * True, [k] * False


def many_texts(k):
    words = ["ab", "c"] * 200
    words[k] = "d"
    return "".join(words[:6]), words.count("c"), words.index("d")


def of_objects(k):
    items = [{}, []] * 200
    items[k].append(k)
    items[0]["k"] = k
    return items[:3], items[2] is items[0], len(items)


def in_place(k):
    table = [k]
    table *= SIZE
    table[5] += 1
    return sum(table), table[4:7]


def out_of_range(k):
    table = [0.5] * SIZE
    table[SIZE - k] = 2.0
    return sum(table), table[SIZE + k]


def left_in_the_middle(k):
    table = [0] * SIZE
    for i in range(SIZE):
        table[i] = i * k
        if i == SIZE // 2:
            table[i] = table[i] << 62
    return table[SIZE // 2 - 1 : SIZE // 2 + 2], sum(table)


def escapes(k):
    table = [k] * SIZE
    return table, [table] * 300


def both_ways(k):
    table = [0] * SIZE if k > 2 else [0, 1] * SIZE
    table[k] = 9
    return len(table), table[:5]


for function in sums, memo, sieve, grid, aliased, several, reflected, of_no_length, many_texts, in_place:
    show(function, 1)
    show(function, 3)
for function in of_objects, out_of_range, left_in_the_middle, both_ways:
    show(function, 1)
    show(function, 3)
show(lambda k: [len(it) for it in escapes(k)], 2)
show(lambda k: escapes(k)[1][0] is escapes(k)[0], 2)
