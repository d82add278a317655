def solve(n):
    solutions = []

    def place(row, columns, diagonals, antidiagonals, board):
        if row == n:
            solutions.append(board[:])
            return
        for col in range(n):
            if col in columns or row + col in diagonals or row - col in antidiagonals:
                continue
            columns.add(col)
            diagonals.add(row + col)
            antidiagonals.add(row - col)
            board.append(col)
            place(row + 1, columns, diagonals, antidiagonals, board)
            board.pop()
            columns.remove(col)
            diagonals.remove(row + col)
            antidiagonals.remove(row - col)

    place(0, set(), set(), set(), [])
    return len(solutions)


def is_safe(board, row, col):
    for r in range(row):
        c = board[r]
        if c == col or abs(c - col) == row - r:
            return False
    return True


def count(n):
    board = [-1] * n

    def place(row):
        if row == n:
            return 1
        total = 0
        for col in range(n):
            if is_safe(board, row, col):
                board[row] = col
                total += place(row + 1)
                board[row] = -1
        return total

    return place(0)


FOUND = []


def collect(row, n, board):
    if row == n:
        FOUND.append(tuple(board))
        return
    for col in range(n):
        if is_safe(board, row, col):
            board[row] = col
            collect(row + 1, n, board)


def bench_sets():
    return solve(8)


def bench_count():
    return count(7)


def bench_global():
    FOUND.clear()
    collect(0, 7, [0] * 7)
    return len(FOUND), FOUND[0]
