# Lists of lists of what has several numbers: weighted graphs, boards of characters, complex matrices. Compiled code holds a
# list of lists for each number.
import math

from snekpy import stage

WORLD = []


def graph_of(n):
    graph = [[] for _ in range(n)]
    for i in range(n):
        graph[i].append(((i * 7 + 3) % n, 1.5 * i))
        graph[(i * 3) % n].append((i, 0.5))
    return graph


def shortest(graph, start):
    distance = [math.inf] * len(graph)
    distance[start] = 0.0
    done = [False] * len(graph)
    for _ in range(len(graph)):
        here = -1
        for i in range(len(graph)):
            if not done[i] and (here < 0 or distance[i] < distance[here]):
                here = i
        done[here] = True
        for there, weight in graph[here]:
            distance[there] = min(distance[there], distance[here] + weight)
    return distance


def reversed_graph(graph):
    back = [[] for _ in graph]
    for u, row in enumerate(graph):
        for v, w in row:
            back[v].append((u, w))
    return back, sum(len(row) for row in back)


def board(height, width):
    rows = [["."] * width for _ in range(height)]
    for i in range(height * width):
        if i % 3 == 1:
            rows[i % height][(i * 5) % width] = "#"
    count = 0
    for row in rows:
        for c in row:
            if c == "#":
                count += 1
    return rows, count, "\n".join("".join(row) for row in rows)


def neighbours(rows):
    found = []
    for i in range(len(rows)):
        for j in range(len(rows[i])):
            near = 0
            for a in (-1, 0, 1):
                for b in (-1, 0, 1):
                    if (a or b) and 0 <= i + a < len(rows) and 0 <= j + b < len(rows[i]):
                        near += rows[i + a][j + b] == "#"
            found.append(near)
    return found


def products(n):
    m = [[complex(i, j) for j in range(n)] for i in range(n)]
    total = 0j
    for i in range(n):
        for j in range(n):
            total += m[i][j] * m[j][i]
    if n:
        m[n // 2][0] = 5j
    return m, total


def shares(n):
    row = [(1, 2.0)]
    rows = [row]
    for i in range(n):
        rows.append(row if i % 2 else [(i, 0.0)])
    if n > 2:
        rows[2].append((5, 5.0))
    for it in rows:
        it.append((7, 7.0))
    return rows, row, [len(it) for it in rows]


def edits(n):
    rows = [[(i, -i)] * (i % 3) for i in range(n)]
    rows.insert(1, [(100, 200)])
    rows.append([])
    taken = rows.pop(0) if n % 2 else rows.pop()
    rows[0] = taken
    for i in range(len(rows)):
        if len(rows[i]) > 1:
            del rows[i][0]
            rows[i].insert(0, (i, i))
    rows.extend([[(1, 1)], []])
    rows += [[(2, 2)]]
    return rows, taken, rows[::2], rows[1:3], len(rows)


def deep(n):
    return [[[(i, j * 0.5)] * k for k in range(j % 3)] for i in range(n) for j in range(n)]


def appends(graph, log):
    for row in graph:
        row.append((len(row), 1.0))
        if len(row) == 4:
            log.append(row[1])
    graph[1] = graph[0]
    return len(graph), graph[-1]


def fails(graph, at):
    total = 0.0
    for i in range(len(graph)):
        graph[i].append((i, 9.0))
        total += graph[i][at][1]
    return total


def other_items(n, odd):
    rows = [[] for _ in range(n)]
    for i in range(n):
        rows[i].append((i, i * 0.5))
        if i == odd:
            rows[i].append("else")
    return rows


def of_both(n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        rows[i].append((i, i) if i % 2 else (i, 0.5))
    return rows


def compared(n):
    a = [[(i, 1.0)] for i in range(n)]
    b = [[(i, 1.0)] for i in range(n)]
    same = a == b
    b.append([])
    return same, a == b, [(2, 1.0)] in a, b.index([])


def in_order(n):
    rows = [[(n - i, "x"), (i, "y")] for i in range(n)]
    rows.sort()
    return rows


def into_the_world(n):
    for i in range(n):
        WORLD.append([(i, 0.5)])
    return len(WORLD)


def kept(n, keep):
    rows = [[("a", i)] for i in range(n)]
    keep(rows[0])
    rows[0].append(("b", n))
    return rows


def handed(rows):
    rows.append(("z", 26))


def transposed(n):
    rows = [[(i, j) for j in range(3)] for i in range(n)]
    return [[rows[i][j] for i in range(len(rows))] for j in range(3)]


def recursive(n):
    if n == 0:
        return []
    rows = recursive(n - 1)
    rows.append([(n, 0.5)] * n)
    return rows


def is_one(n):
    rows = [[(i, 0.0)] for i in range(n)]
    first = rows[0]
    return first is rows[0], rows[0] is rows[-1]


ALL = [value for value in globals().values() if callable(value) and getattr(value, "__module__", None) == __name__]
STAGED = {function.__name__: stage(function) for function in ALL if function is not handed}
graph_of, shortest, reversed_graph, board, neighbours, products, shares, edits, deep, appends, fails = (
    STAGED[name]
    for name in "graph_of shortest reversed_graph board neighbours products shares edits deep appends fails".split()
)
for n in 1, 2, 9, 40:
    graph = graph_of(n)
    print(graph)
    for start in range(0, n, 7):
        print(shortest(graph, start))
    print(reversed_graph(graph))
    before, log = list(graph), []
    if n > 1:
        print(appends(graph, log), log)
        print([new is old for new, old in zip(graph, before)], graph)
    for at in 0, -1, 3, 99:
        try:
            print(fails(graph, at))
        except IndexError as error:
            print(error, error.__traceback__.tb_next.tb_lineno)
    print(graph)
for height, width in (1, 1), (3, 4), (7, 20), (0, 2):
    rows, count, text = board(height, width)
    print(count, text, rows, neighbours(rows))
for n in 0, 1, 2, 5, 12:
    print(products(n), shares(n), deep(n))
for n in 1, 2, 7, 20:
    print(edits(n), STAGED["compared"](n), STAGED["in_order"](n), STAGED["transposed"](n), STAGED["recursive"](n))
    print(STAGED["other_items"](n, 5), STAGED["of_both"](n), STAGED["into_the_world"](n), STAGED["is_one"](n))
    print(STAGED["kept"](n, handed), STAGED["kept"](n, repr))
print(WORLD)
