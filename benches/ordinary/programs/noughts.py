LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def winner(board):
    for a, b, c in LINES:
        if board[a] != " " and board[a] == board[b] == board[c]:
            return board[a]
    return None


def moves(board):
    return [i for i, c in enumerate(board) if c == " "]


def minimax(board, player, depth=0):
    w = winner(board)
    if w == "X":
        return 10 - depth, None
    if w == "O":
        return depth - 10, None
    free = moves(board)
    if not free:
        return 0, None
    best = None
    best_move = None
    for m in free:
        board[m] = player
        score, _ = minimax(board, "O" if player == "X" else "X", depth + 1)
        board[m] = " "
        if best is None or (player == "X" and score > best) or (player == "O" and score < best):
            best, best_move = score, m
    return best, best_move


def bench():
    return minimax(list("XO  X    "), "O")
