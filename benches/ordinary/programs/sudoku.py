PUZZLE = (
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
)


def parse(text):
    return [[0 if ch == "." else int(ch) for ch in text[9 * r : 9 * r + 9]] for r in range(9)]


def allowed(grid, row, col, value):
    for i in range(9):
        if grid[row][i] == value or grid[i][col] == value:
            return False
    top, left = 3 * (row // 3), 3 * (col // 3)
    for r in range(top, top + 3):
        for c in range(left, left + 3):
            if grid[r][c] == value:
                return False
    return True


def solve(grid):
    for row in range(9):
        for col in range(9):
            if grid[row][col] == 0:
                for value in range(1, 10):
                    if allowed(grid, row, col, value):
                        grid[row][col] = value
                        if solve(grid):
                            return True
                        grid[row][col] = 0
                return False
    return True


def run(text):
    grid = parse(text)
    solve(grid)
    return "".join(str(value) for row in grid for value in row)


def candidates(board, index):
    row, col = divmod(index, 9)
    used = set(board[9 * row : 9 * row + 9]) | set(board[col::9])
    top, left = row // 3 * 3, col // 3 * 3
    for r in range(top, top + 3):
        used.update(board[9 * r + left : 9 * r + left + 3])
    return [value for value in range(1, 10) if value not in used]


def solve_flat(board):
    best, options = None, None
    for index in range(81):
        if board[index] == 0:
            possible = candidates(board, index)
            if best is None or len(possible) < len(options):
                best, options = index, possible
    if best is None:
        return True
    for value in options:
        board[best] = value
        if solve_flat(board):
            return True
    board[best] = 0
    return False


def run_flat(text):
    board = [0 if ch == "." else int(ch) for ch in text]
    solve_flat(board)
    return board


def bench():
    return run(PUZZLE)


def bench_flat():
    return run_flat(PUZZLE)
