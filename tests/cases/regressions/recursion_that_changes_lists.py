# Recursive functions that change the lists of numbers that are passed: backtracking, sorting in place, walks that collect.
from support import show
from snekpy import stage

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def winner(board):
    for i, j, k in LINES:
        if board[i] and board[i] == board[j] == board[k]:
            return board[i]
    return 0


@stage
def minimax(board, player):
    won = winner(board)
    if won:
        return won
    if all(board):
        return 0
    best = -2 * player
    for i in range(9):
        if not board[i]:
            board[i] = player
            score = minimax(board, -player)
            board[i] = 0
            best = max(best, score) if player == 1 else min(best, score)
    return best


for board in ([1, -1, 0, 0, 1, 0, 0, 0, -1], [0, 0, 0, 1, -1, 0, 1, -1, 0], [1, 1, 1, 0, 0, 0, -1, -1, 0]):
    print(minimax(board, 1), board)


@stage
def subsets(items, i, chosen, found):
    if i == len(items):
        found.append(sum(chosen))
        return
    subsets(items, i + 1, chosen, found)
    chosen.append(items[i])
    subsets(items, i + 1, chosen, found)
    chosen.pop()


for items in ([1, 2, 3], [], [4, 8], [1.5, 2.5], [1, 2.5], [True, 3], [5, 6, 7, 8]):
    chosen, found = [], []
    subsets(items, 0, chosen, found)
    print(items, chosen, found)


@stage
def permute(items, k, out):
    if k == len(items):
        out.append(items[0] * 100 + items[-1])
        return
    for i in range(k, len(items)):
        items[k], items[i] = items[i], items[k]
        permute(items, k + 1, out)
        items[k], items[i] = items[i], items[k]


for items in ([1, 2, 3], [3, 1, 2, 4], [2]):
    out = []
    permute(items, 0, out)
    print(items, out)


@stage
def sort(a, low, high):
    if low < high:
        pivot, k = a[high], low
        for j in range(low, high):
            if a[j] < pivot:
                a[k], a[j] = a[j], a[k]
                k += 1
        a[k], a[high] = a[high], a[k]
        sort(a, low, k - 1)
        sort(a, k + 1, high)


for a in ([5, 2, 9, 1], [2.5, -1.0, 7.0], [3], []):
    sort(a, 0, len(a) - 1)
    print(a)


@stage
def swap(a, n):
    if n > 0:
        a[0], a[1] = a[1], a[0]
        swap(a, n - 1)


for a in ([1, 2], [1, "a"], [2, 1.5], [True, 3], ["a", "b"], [4, 5]):
    swap(a, 3)
    print(a)


@stage
def walk(graph, node, seen, order):
    seen[node] = True
    order.append(node)
    for other in graph[node]:
        if not seen[other]:
            walk(graph, other, seen, order)


GRAPH = [[1, 2], [3], [3, 4], [5], [0], []]
for start in (0, 2, 4):
    seen, order = [False] * 6, []
    walk(GRAPH, start, seen, order)
    print(seen, order)


@stage
def fails(items, n):
    items.append(n)
    if n == 0:
        items[0] = 1 // n
    fails(items, n - 1)


for n in (3, 0):
    items = [7]
    try:
        fails(items, n)
    except ZeroDivisionError as error:
        depth, trace = 0, error.__traceback__
        while trace is not None:
            depth, trace = depth + 1, trace.tb_next
        print(items, depth)


@stage
def solve(n):
    board = [-1] * n

    def safe(row, column):
        for i in range(row):
            if board[i] == column or abs(board[i] - column) == row - i:
                return False
        return True

    def place(row):
        if row == n:
            return 1
        total = 0
        for column in range(n):
            if safe(row, column):
                board[row] = column
                total += place(row + 1)
        return total

    return place(0), board


print(solve(4), solve(5), solve(6))


@stage
def own(depth):
    path, found = [], []

    def go(n):
        if n == 0:
            found.append(len(path))
            return
        path.append(n)
        go(n - 1)
        path.pop()
        go(n - 1)

    go(depth)
    return path, found


print(own(3), own(2))


def shared(a, b, n):
    """One list in two places."""
    if n == 0:
        return
    a.append(n)
    b.append(-n)
    shared(a, b, n - 1)


def in_two_places(n):
    items = [0]
    shared(items, items, n)
    return items


shared = stage(shared)
show(in_two_places, 2, 3)
for n in range(3):
    one, other = [0], [0]
    shared(one, other, n)
    shared(one, one, n)
    print(one, other)
