# Lists and dicts that loops over a known number of rounds fill, and that change at places known only later: the sizes are
# those from which on loops, lists and dicts are known no more item by item.
from support import show

SIZE = 0


def union_find(k):
    parent = list(range(SIZE))
    size = [1] * SIZE

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    x, sets = k, SIZE
    for _ in range(SIZE):
        x = (x * 1103515245 + 12345) % 2147483648
        a = find(x % SIZE)
        x = (x * 1103515245 + 12345) % 2147483648
        b = find(x % SIZE)
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            parent[b] = a
            size[a] += size[b]
            sets -= 1
    return sets, max(size)


def swapped(k):
    xs = [i for i in range(SIZE)]
    ys = [0.5 * i for i in range(SIZE)]
    for i in range(SIZE):
        j = (i * 7 + k) % SIZE
        xs[i], xs[j] = xs[j], xs[i]
        ys[j] += xs[i]
    return sum(xs), xs[:3], xs[-2:], sum(ys)


def shuffled(k):
    xs = list(range(SIZE))
    seed = k
    for i in range(SIZE - 1, 0, -1):
        seed = seed * 16807 % 2147483647
        j = seed % (i + 1)
        xs[i], xs[j] = xs[j], xs[i]
    first = xs[0]
    xs.sort()
    return first, xs[k], sorted(xs, reverse=True)[:2], list(range(0, SIZE, 2))[-1]


def looked_up(k):
    squares = {i: i * i for i in range(SIZE)}
    seen = set()
    total = 0
    for i in range(SIZE):
        total += squares[(i + k) % SIZE]
        seen.add(i * k % SIZE)
    squares[k] = -1
    return total, len(seen), len(squares), list(squares.items())[:3]


def filled_by_while(k):
    xs = []
    i = 0
    while i < SIZE:
        xs.append(i % 3 == 1)
        i += 1
    xs[k] = not xs[k]
    return sum(xs), len(xs), xs[:4]


def table_of_tuples(k):
    pairs = [(i, i * 0.5) for i in range(SIZE)]
    pairs[k] = (k, -1.0)
    return pairs[:3], sum([a * b for a, b in pairs]), pairs[k - 1 - SIZE // 2]


def table_of_texts(k):
    names = [f"n{i}" for i in range(SIZE)]
    letters = [chr(97 + i % 26) for i in range(SIZE)]
    return names[k], "".join(letters[:k]), letters.count("a"), len(names)


class Cell:
    def __init__(self, number):
        self.number = number
        self.next = None


def linked(k):
    cells = [Cell(i) for i in range(SIZE)]
    for i in range(SIZE):
        cells[i].next = cells[(i + k) % SIZE]
    at, total = cells[0], 0
    for _ in range(SIZE):
        total = total * 3 % 1009 + at.number
        at = at.next
    return total, at.number, cells[k].next is cells[2 * k % SIZE]


def rows(k):
    grid = [[(x * y + k) % 7 for x in range(SIZE)] for y in range(12)]
    for x in range(1, SIZE):
        grid[x % 12][x] += grid[(x + k) % 12][x - 1]
    return [sum(row) for row in grid]


def out_of_range(k):
    xs = [0] * SIZE
    for i in range(SIZE):
        xs[i + k] = i
    return xs


def overflows(k):
    xs = [k]
    for i in range(SIZE):
        xs.append(xs[-1] * 3)
    return xs[-1], xs[2]


def known(k):
    table = []
    for i in range(SIZE):
        table.append(i * i)
    total = 0
    for i in range(SIZE):
        total += table[i]
    return total, table[5], table[-1]


for SIZE in 20, 40, 100, 300, 3000:
    for function in (
        union_find,
        swapped,
        shuffled,
        looked_up,
        filled_by_while,
        table_of_tuples,
        table_of_texts,
        linked,
        rows,
        out_of_range,
        overflows,
        known,
    ):
        show(function, 1)
        show(function, 3)
