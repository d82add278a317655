import math
import random
from collections import deque
from dataclasses import dataclass
from itertools import count

FRESH = count()


def sir(beta, gamma, days):
    s, i, r, peak = 0.99, 0.01, 0.0, (0.0, 0)
    for day in range(days):
        new, gone = beta * s * i, gamma * i
        s, i, r = s - new, i + new - gone, r + gone
        if i > peak[0]:
            peak = i, day
    return round(r, 9), peak[1]


def pendulum(angle, steps):
    velocity, energy = 0.0, []
    for step in range(steps):
        velocity -= 9.81 * math.sin(angle) * 0.001
        angle += velocity * 0.001
        if step % 500 == 0:
            energy.append(round(0.5 * velocity**2 - 9.81 * math.cos(angle), 6))
    return energy


@dataclass
class Person:
    x: float
    y: float
    sick: int = 0
    immune: bool = False

    def near(self, other, d):
        return (self.x - other.x) ** 2 + (self.y - other.y) ** 2 < d * d


def epidemic(n, rounds, seed):
    rng = random.Random(seed)
    people = [Person(rng.random(), rng.random()) for _ in range(n)]
    people[0].sick = 5
    for _ in range(rounds):
        sick = [p for p in people if p.sick]
        for p in people:
            p.x = (p.x + rng.uniform(-0.05, 0.05)) % 1.0
            p.y = (p.y + rng.uniform(-0.05, 0.05)) % 1.0
            if not p.sick and not p.immune and any(p.near(q, 0.05) for q in sick):
                p.sick = 6
        for p in sick:
            p.sick -= 1
            if not p.sick:
                p.immune = True
    return sum(p.immune for p in people), sum(p.sick > 0 for p in people)


def gambler(start, goal, games, seed):
    random.seed(seed)
    wins = 0
    for _ in range(games):
        money = start
        while 0 < money < goal:
            money += 1 if random.random() < 0.49 else -1
        wins += money == goal
    return wins


def shuffle_deck(n, seed):
    random.seed(seed)
    first = 0
    for _ in range(n):
        deck = list(range(52))
        random.shuffle(deck)
        first += deck[0]
    return first


def birthdays(people, trials, seed):
    rng = random.Random(seed)
    hits = 0
    for _ in range(trials):
        days = [rng.randrange(365) for _ in range(people)]
        hits += len(set(days)) < people
    return hits


class Elevator:
    def __init__(self, floors):
        self.floor, self.direction, self.calls, self.moved = 0, 1, set(), 0
        self.floors = floors

    def call(self, floor):
        self.calls.add(floor)

    def step(self):
        if not self.calls:
            return
        if self.floor in self.calls:
            self.calls.discard(self.floor)
            return
        ahead = [f for f in self.calls if (f - self.floor) * self.direction > 0]
        if not ahead:
            self.direction = -self.direction
        self.floor += self.direction
        self.moved += 1


def elevator(n, seed):
    lift = Elevator(20)
    for i in range(n):
        if i % 4 == 0:
            lift.call((i * 7 + seed) % 20)
        lift.step()
    return lift.moved, lift.floor, sorted(lift.calls)


def bank(n, tellers, seed):
    state, waiting, free, waited, now = seed, deque(), [0.0] * tellers, 0.0, 0.0
    for _ in range(n):
        state = (state * 1103515245 + 12345) % 2**31
        now += state / 2**31 * 2.0
        waiting.append(now)
        state = (state * 1103515245 + 12345) % 2**31
        k = free.index(min(free))
        came = waiting.popleft()
        begin = max(came, free[k])
        waited += begin - came
        free[k] = begin + state / 2**31 * 3.0
    return round(waited / n, 9)


def predator_prey(rabbits, foxes, steps):
    history = []
    for step in range(steps):
        rabbits, foxes = (
            rabbits + (0.1 * rabbits - 0.002 * rabbits * foxes) * 0.1,
            foxes + (0.001 * rabbits * foxes - 0.1 * foxes) * 0.1,
        )
        if step % 200 == 0:
            history.append((round(rabbits, 3), round(foxes, 3)))
    return history


def bodies(n, steps, k):
    xs = [math.cos(i + k) * 10 for i in range(n)]
    ys = [math.sin(i + k) * 10 for i in range(n)]
    vx, vy = [0.0] * n, [0.0] * n
    for _ in range(steps):
        for i in range(n):
            ax = ay = 0.0
            for j in range(n):
                if i != j:
                    dx, dy = xs[j] - xs[i], ys[j] - ys[i]
                    d = (dx * dx + dy * dy + 0.01) ** 1.5
                    ax += dx / d
                    ay += dy / d
            vx[i] += ax * 0.01
            vy[i] += ay * 0.01
        for i in range(n):
            xs[i] += vx[i] * 0.01
            ys[i] += vy[i] * 0.01
    return round(sum(xs), 9), round(sum(ys), 9)


class Order:
    def __init__(self, side, price, size):
        self.side, self.price, self.size = side, price, size


def market(n, seed):
    buys, sells, volume = [], [], 0
    for i in range(n):
        order = Order("bs"[(i + seed) % 2], 100 + (i * 37 + seed) % 11 - 5, i % 7 + 1)
        mine, theirs = (buys, sells) if order.side == "b" else (sells, buys)
        theirs.sort(key=lambda o: o.price, reverse=order.side == "s")
        while theirs and order.size:
            best = theirs[0]
            if order.side == "b" and best.price > order.price or order.side == "s" and best.price < order.price:
                break
            size = min(order.size, best.size)
            volume += size
            order.size -= size
            best.size -= size
            if not best.size:
                theirs.pop(0)
        if order.size:
            mine.append(order)
    return volume, len(buys), len(sells)


def forest(n, rounds, seed):
    trees = [[(r * 31 + c * 17 + seed) % 10 > 2 for c in range(n)] for r in range(n)]
    burning, burnt = {(n // 2, n // 2)}, set()
    for _ in range(rounds):
        after = set()
        for r, c in burning:
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                p = r + dr, c + dc
                if 0 <= p[0] < n and 0 <= p[1] < n and trees[p[0]][p[1]] and p not in burnt and p not in burning:
                    after.add(p)
        burnt |= burning
        burning = after
    return len(burnt), len(burning)


def schelling(n, rounds, seed):
    cells = [(i * 7 + seed) % 3 for i in range(n)]
    for _ in range(rounds):
        unhappy = [
            i
            for i, c in enumerate(cells)
            if c and sum(cells[(i + d) % n] == c for d in (-2, -1, 1, 2)) < 2
        ]
        free = [i for i, c in enumerate(cells) if not c]
        for i, j in zip(unhappy, free):
            cells[i], cells[j] = 0, cells[i]
    return cells


def logistic(r, n):
    x, seen = 0.5, set()
    for i in range(n):
        x = r * x * (1 - x)
        if i > n // 2:
            seen.add(round(x, 4))
    return len(seen)


def bifurcation(first, steps):
    return [logistic(first + k * 0.01, 200) for k in range(steps)]


def mandelbrot(width, height, limit):
    rows = []
    for j in range(height):
        row = ""
        for i in range(width):
            z, c = 0j, complex(-2.2 + 3.2 * i / width, -1.2 + 2.4 * j / height)
            n = 0
            while abs(z) <= 2 and n < limit:
                z = z * z + c
                n += 1
            row += " .:-=+*#%@"[n * 9 // limit]
        rows.append(row)
    return rows


def temperature_log(n, seed):
    readings, alarms, state = deque(maxlen=10), [], seed
    for i in range(n):
        state = (state * 16807) % 2147483647
        readings.append(15 + state % 1000 / 100)
        mean = sum(readings) / len(readings)
        if readings[-1] > mean + 4:
            alarms.append((i, round(readings[-1] - mean, 2)))
    return len(alarms), alarms[:2]


def lights(n):
    state, waited, log = "green", 0, {"green": 0, "yellow": 0, "red": 0}
    for tick in range(n):
        log[state] += 1
        waited += 1
        if state == "green" and waited > 20:
            state, waited = "yellow", 0
        elif state == "yellow" and waited > 3:
            state, waited = "red", 0
        elif state == "red" and waited > 15:
            state, waited = "green", 0
    return log


def anneal(points, steps, seed):
    state, order = seed, list(range(len(points)))

    def length():
        return sum(math.dist(points[a], points[b]) for a, b in zip(order, order[1:] + order[:1]))

    best, heat = length(), 10.0
    for _ in range(steps):
        state = (state * 1103515245 + 12345) % 2**31
        i, j = state % len(order), state // 997 % len(order)
        order[i], order[j] = order[j], order[i]
        now = length()
        if now < best or state % 1000 / 1000 < math.exp((best - now) / heat):
            best = now
        else:
            order[i], order[j] = order[j], order[i]
        heat *= 0.99
    return round(best, 6)


def bench_sir():
    return sir(0.3 + next(FRESH) % 7 * 0.01, 0.1, 2000)


def bench_pendulum():
    return pendulum(0.5 + next(FRESH) * 0.01, 4000)


def bench_epidemic():
    return epidemic(50, 10, next(FRESH))


def bench_gambler():
    return gambler(10, 20, 40, next(FRESH))


def bench_shuffle():
    return shuffle_deck(30, next(FRESH))


def bench_birthdays():
    return birthdays(23, 60, next(FRESH))


def bench_elevator():
    return elevator(800, next(FRESH))


def bench_bank():
    return bank(1500, 3, next(FRESH) + 1)


def bench_prey():
    return predator_prey(100.0, 20.0 + next(FRESH), 3000)


def bench_bodies():
    return bodies(8, 15, next(FRESH))


def bench_market():
    return market(200, next(FRESH))


def bench_forest():
    return forest(30, 14, next(FRESH))


def bench_schelling():
    return schelling(120, 8, next(FRESH))


def bench_bifurcation():
    return bifurcation(3.0 + next(FRESH) * 0.001, 15)


def bench_mandelbrot():
    return mandelbrot(40, 16, 25)


def bench_log():
    return temperature_log(1200, next(FRESH) + 1)


def bench_lights():
    return lights(3000 + next(FRESH))


def bench_anneal():
    k = next(FRESH)
    return anneal([(i * 37 % 100 + k, i * 53 % 97) for i in range(15)], 100, k)
