import random
from collections import OrderedDict, deque, namedtuple
from enum import Enum


def life(cells, steps):
    for _ in range(steps):
        counts = {}
        for x, y in cells:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        key = (x + dx, y + dy)
                        counts[key] = counts.get(key, 0) + 1
        cells = {key for key, count in counts.items() if count == 3 or count == 2 and key in cells}
    return cells


def life_grid(grid):
    n = len(grid)
    return [
        [
            int(
                (total := sum(grid[(r + dr) % n][(c + dc) % n] for dr in (-1, 0, 1) for dc in (-1, 0, 1)) - grid[r][c]) == 3
                or total == 2 and grid[r][c]
            )
            for c in range(n)
        ]
        for r in range(n)
    ]


def rule(number, width, steps):
    cells = [0] * width
    cells[width // 2] = 1
    rows = []
    for _ in range(steps):
        rows.append("".join("#" if cell else "." for cell in cells))
        cells = [number >> (cells[i - 1] << 2 | cells[i] << 1 | cells[(i + 1) % width]) & 1 for i in range(width)]
    return rows


class LRU:
    def __init__(self, capacity):
        self.capacity = capacity
        self.items = OrderedDict()

    def get(self, key):
        if key not in self.items:
            return -1
        self.items.move_to_end(key)
        return self.items[key]

    def put(self, key, value):
        self.items[key] = value
        self.items.move_to_end(key)
        if len(self.items) > self.capacity:
            self.items.popitem(last=False)


def lru(n):
    cache, hits, x = LRU(50), 0, 1
    for i in range(n):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        key = (x >> 10) % 90
        if cache.get(key) == -1:
            cache.put(key, i)
        else:
            hits += 1
    return hits


class Light(Enum):
    RED = "red"
    GREEN = "green"
    YELLOW = "yellow"


NEXT = {Light.RED: Light.GREEN, Light.GREEN: Light.YELLOW, Light.YELLOW: Light.RED}


def lights(n):
    light, seconds = Light.RED, 0
    for _ in range(n):
        seconds += 30 if light is Light.RED else 25 if light is Light.GREEN else 5
        light = NEXT[light]
    return seconds, light.name


def vending(events):
    state, credit, sold = "idle", 0, []
    for event in events:
        if state == "idle" and event.startswith("coin"):
            credit += int(event[4:])
            state = "ready"
        elif state == "ready":
            if event.startswith("coin"):
                credit += int(event[4:])
            elif event == "cancel":
                credit, state = 0, "idle"
            elif credit >= 30:
                sold.append(event)
                credit -= 30
                if credit == 0:
                    state = "idle"
    return state, credit, len(sold)


Event = namedtuple("Event", "time kind customer")


def queue_simulation(n):
    rng = random.Random(9)
    now, waiting, served, waited = 0.0, deque(), 0, 0.0
    free_at = 0.0
    for customer in range(n):
        now += rng.expovariate(1.0)
        waiting.append(Event(now, "arrive", customer))
        while waiting and free_at <= now:
            event = waiting.popleft()
            start = max(free_at, event.time)
            waited += start - event.time
            free_at = start + rng.uniform(0.2, 1.5)
            served += 1
    return served, round(waited, 6)


def virtual_machine(program):
    stack, pc, variables, steps = [], 0, {}, 0
    while pc < len(program):
        op, arg = program[pc]
        pc += 1
        steps += 1
        if op == "push":
            stack.append(arg)
        elif op == "add":
            b, a = stack.pop(), stack.pop()
            stack.append(a + b)
        elif op == "sub":
            b, a = stack.pop(), stack.pop()
            stack.append(a - b)
        elif op == "load":
            stack.append(variables[arg])
        elif op == "store":
            variables[arg] = stack.pop()
        elif op == "jump_if":
            if stack.pop():
                pc = arg
        elif op == "print":
            pass
    return variables, steps


PROGRAM = [
    ("push", 0), ("store", "total"), ("push", 500), ("store", "n"),
    ("load", "total"), ("load", "n"), ("add", None), ("store", "total"),
    ("load", "n"), ("push", 1), ("sub", None), ("store", "n"),
    ("load", "n"), ("jump_if", 4),
]


def bf(program, data=b""):
    tape, ptr, pc, out = [0] * 100, 0, 0, []
    jumps, stack = {}, []
    for i, ch in enumerate(program):
        if ch == "[":
            stack.append(i)
        elif ch == "]":
            j = stack.pop()
            jumps[i], jumps[j] = j, i
    while pc < len(program):
        ch = program[pc]
        if ch == ">":
            ptr += 1
        elif ch == "<":
            ptr -= 1
        elif ch == "+":
            tape[ptr] = (tape[ptr] + 1) % 256
        elif ch == "-":
            tape[ptr] = (tape[ptr] - 1) % 256
        elif ch == ".":
            out.append(chr(tape[ptr]))
        elif ch == "[" and not tape[ptr]:
            pc = jumps[pc]
        elif ch == "]" and tape[ptr]:
            pc = jumps[pc]
        pc += 1
    return "".join(out)


HELLO = "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++."


class Inventory:
    def __init__(self):
        self.stock = {}
        self.low = set()

    def add(self, name, count):
        self.stock[name] = self.stock.get(name, 0) + count
        if self.stock[name] >= 5:
            self.low.discard(name)

    def remove(self, name, count):
        if self.stock.get(name, 0) < count:
            raise KeyError(name)
        self.stock[name] -= count
        if self.stock[name] < 5:
            self.low.add(name)


def inventory(n):
    shop, missing = Inventory(), 0
    for i in range(n):
        name = ("bolt", "nut", "gear", "belt")[i * 7 % 4]
        try:
            if i % 3:
                shop.add(name, i % 4)
            else:
                shop.remove(name, i % 9)
        except KeyError:
            missing += 1
    return missing, sorted(shop.stock.items()), sorted(shop.low)


class Cell:
    __slots__ = ("value", "fixed")

    def __init__(self, value):
        self.value = value
        self.fixed = value == 0


def diffuse(n, steps):
    cells = [Cell(float(i % 5)) for i in range(n)]
    for _ in range(steps):
        for i in range(1, n - 1):
            cell = cells[i]
            if not cell.fixed:
                cell.value = 0.5 * cell.value + 0.25 * (cells[i - 1].value + cells[i + 1].value)
    return round(sum(cell.value for cell in cells), 9)


GLIDERS = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2), (11, 10), (12, 11), (10, 12), (11, 12), (12, 12)}
BOARD = [[(r * 5 + c * 3 + r * c) % 3 == 0 and 1 or 0 for c in range(24)] for r in range(24)]
EVENTS = ["coin10", "coin20", "cola", "coin50", "chips", "cancel", "coin5", "coin25", "cola"] * 60


def bench_life():
    return life(GLIDERS, 30)


def bench_life_grid():
    return life_grid(BOARD)


def bench_rule():
    return rule(110, 60, 40)


def bench_lru():
    return lru(3000)


def bench_lights():
    return lights(3000)


def bench_vending():
    return vending(EVENTS)


def bench_queue():
    return queue_simulation(1500)


def bench_vm():
    return virtual_machine(PROGRAM)


def bench_bf():
    return bf(HELLO)


def bench_inventory():
    return inventory(2500)


def bench_diffuse():
    return diffuse(60, 40)
