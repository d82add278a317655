import enum
import random
from collections import deque
from itertools import count

FRESH = count()


def winner(board):
    for a, b, c in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
        if board[a] != " " and board[a] == board[b] == board[c]:
            return board[a]
    return None


def minimax(board, player):
    won = winner(board)
    if won:
        return (1 if won == "X" else -1), None
    moves = [i for i, c in enumerate(board) if c == " "]
    if not moves:
        return 0, None
    best = None
    for move in moves:
        board[move] = player
        score, _ = minimax(board, "O" if player == "X" else "X")
        board[move] = " "
        if best is None or (score > best[0] if player == "X" else score < best[0]):
            best = score, move
    return best


def best_move(text):
    return minimax(list(text), "X")


class Direction(enum.Enum):
    UP = (0, -1)
    RIGHT = (1, 0)
    DOWN = (0, 1)
    LEFT = (-1, 0)

    def turn(self, how):
        order = list(Direction)
        return order[(order.index(self) + how) % 4]


def snake(width, height, turns, seed):
    body, heading = deque([(width // 2, height // 2)]), Direction.RIGHT
    food, score, state = (3, 3), 0, seed
    for turn in turns:
        heading = heading.turn(turn)
        dx, dy = heading.value
        x, y = body[0]
        head = (x + dx) % width, (y + dy) % height
        if head in body:
            break
        body.appendleft(head)
        if head == food:
            score += 1
            state = (state * 1103515245 + 12345) % 2**31
            food = state % width, state // width % height
        else:
            body.pop()
    return score, len(body), body[0]


def slide(row):
    tiles = [t for t in row if t]
    merged, i = [], 0
    while i < len(tiles):
        if i + 1 < len(tiles) and tiles[i] == tiles[i + 1]:
            merged.append(tiles[i] * 2)
            i += 2
        else:
            merged.append(tiles[i])
            i += 1
    return merged + [0] * (len(row) - len(merged))


def play_2048(moves, seed):
    rng = random.Random(seed)
    grid = [[0] * 4 for _ in range(4)]
    for move in moves:
        for _ in range(move):
            grid = [list(row) for row in zip(*grid[::-1])]
        grid = [slide(row) for row in grid]
        for _ in range((4 - move) % 4):
            grid = [list(row) for row in zip(*grid[::-1])]
        free = [(r, c) for r in range(4) for c in range(4) if grid[r][c] == 0]
        if not free:
            break
        r, c = rng.choice(free)
        grid[r][c] = 2
    return grid


def mines(width, height, n, seed):
    state, found = seed, set()
    while len(found) < n:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        found.add((state >> 33) % (width * height))
    return found


def minefield(width, height, n, seed):
    bombs = mines(width, height, n, seed)
    rows = []
    for y in range(height):
        row = ""
        for x in range(width):
            if y * width + x in bombs:
                row += "*"
                continue
            near = 0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    nx, ny = x + dx, y + dy
                    if 0 <= nx < width and 0 <= ny < height and ny * width + nx in bombs:
                        near += 1
            row += str(near) if near else "."
        rows.append(row)
    return rows


class Ball:
    def __init__(self, x, y, vx, vy):
        self.x, self.y, self.vx, self.vy = x, y, vx, vy
        self.bounces = 0

    def step(self, dt, width, height):
        self.x += self.vx * dt
        self.y += self.vy * dt
        if self.x < 0 or self.x > width:
            self.vx = -self.vx
            self.bounces += 1
        if self.y < 0 or self.y > height:
            self.vy = -self.vy
            self.bounces += 1

    @property
    def energy(self):
        return 0.5 * (self.vx**2 + self.vy**2)


def bounce(n, frames):
    balls = [Ball(i * 3.0 % 50, i * 7.0 % 30, (i % 5) - 2.2, (i % 3) - 1.4) for i in range(n)]
    for _ in range(frames):
        for ball in balls:
            ball.step(0.1, 50.0, 30.0)
    return sum(b.bounces for b in balls), round(sum(b.energy for b in balls), 6)


def run_balls(balls, frames):
    for _ in range(frames):
        for ball in balls:
            ball.step(0.1, 50.0, 30.0)
    return sum(b.bounces for b in balls)


def connect_four(moves):
    board = [[] for _ in range(7)]
    for turn, column in enumerate(moves):
        column %= 7
        if len(board[column]) == 6:
            continue
        player = turn % 2
        board[column].append(player)
        row = len(board[column]) - 1
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            run = 1
            for sign in (1, -1):
                x, y = column + sign * dx, row + sign * dy
                while 0 <= x < 7 and 0 <= y < len(board[x]) and board[x][y] == player:
                    run += 1
                    x += sign * dx
                    y += sign * dy
            if run >= 4:
                return player, turn
    return None, len(moves)


def tournament(n, seed):
    wins = [0, 0, 0]
    for game in range(n):
        moves = [((game + seed) * 31 + i * i * 7 + i // 3) for i in range(42)]
        won, _ = connect_four(moves)
        wins[2 if won is None else won] += 1
    return wins


def dungeon(commands):
    state, hp, gold, log = "hall", 900, 0, []
    for command in commands:
        match state, command:
            case "hall", "north":
                state = "cave"
            case "hall", _:
                hp = min(20, hp + 1)
            case "cave", "fight":
                hp -= 3
                gold += 5
                if hp <= 0:
                    state = "dead"
            case "cave", "south":
                state = "hall"
            case "cave", other:
                log.append(other)
            case "dead", _:
                break
    return state, hp, gold, len(log)


def dice_game(rounds, seed):
    rng = random.Random(seed)
    scores = {"ann": 0, "bob": 0}
    for _ in range(rounds):
        for name in scores:
            roll = rng.randint(1, 6)
            if roll == 1:
                scores[name] = max(0, scores[name] - 5)
            else:
                scores[name] += roll
    return scores


def mastermind(secret, guesses):
    results = []
    for guess in guesses:
        black = sum(a == b for a, b in zip(secret, guess))
        common = sum(min(secret.count(c), guess.count(c)) for c in set(guess))
        results.append((black, common - black))
    return results


def robot(program, size):
    x = y = 0
    dx, dy = 1, 0
    visited = {(0, 0)}
    for op in program:
        if op == "L":
            dx, dy = dy, -dx
        elif op == "R":
            dx, dy = -dy, dx
        else:
            x, y = (x + dx) % size, (y + dy) % size
            visited.add((x, y))
    return x, y, len(visited)


def ant(steps):
    black, x, y, dx, dy = set(), 0, 0, 0, -1
    for _ in range(steps):
        if (x, y) in black:
            black.remove((x, y))
            dx, dy = dy, -dx
        else:
            black.add((x, y))
            dx, dy = -dy, dx
        x, y = x + dx, y + dy
    return len(black), x, y


def tetris(heights, pieces):
    cleared = 0
    width = len(heights)
    for piece in pieces:
        best, where = None, 0
        for column in range(width - piece + 1):
            top = max(heights[column : column + piece])
            if best is None or top < best:
                best, where = top, column
        for column in range(where, where + piece):
            heights[column] = best + 1
        low = min(heights)
        if low > 0:
            cleared += low
            heights = [h - low for h in heights]
    return cleared, heights


MOVES = [i * i % 4 for i in range(60)]
TURNS = [(-1, 0, 0, 1, 0)[i * 7 % 5] for i in range(1500)]
COMMANDS = ["north", "fight", "look", "south", "rest"] * 400
GUESSES = ["".join("RGBYOP"[(i * k) % 6] for k in (1, 2, 3, 5)) for i in range(300)]
PROGRAM = "".join("FFLFRFFFR"[i * i % 9] for i in range(3000))


def bench_tictactoe():
    return best_move("XO  X O  ")


def bench_snake():
    return snake(20, 20, TURNS, next(FRESH))


def bench_2048():
    return play_2048(MOVES, next(FRESH))


def bench_mines():
    return minefield(20, 16, 40, next(FRESH))


def bench_bounce():
    return bounce(20, 60)


def bench_balls():
    k = next(FRESH)
    return run_balls([Ball(i * 3.0 % 50, i * 7.0 % 30, (i % 5) - 2.2, (i + k) % 3 - 1.4) for i in range(20)], 60)


def bench_four():
    return tournament(40, next(FRESH))


def bench_dungeon():
    return dungeon(COMMANDS)


def bench_dice():
    return dice_game(800, next(FRESH))


def bench_mastermind():
    return mastermind("RGBY", GUESSES)


def bench_robot():
    return robot(PROGRAM, 30)


def bench_robot_fresh():
    k = next(FRESH)
    return robot("".join("FFLFRFFFR"[(i * i + k) % 9] for i in range(1500)), 30)


def bench_ant():
    return ant(3000 + next(FRESH))


def bench_tetris():
    k = next(FRESH)
    return tetris([0] * 10, [(i * 7 + k) % 4 + 1 for i in range(300)])
