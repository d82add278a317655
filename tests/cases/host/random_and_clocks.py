# Random numbers and clocks are asked when the code runs, each time, in the order of the program.
import operator
import random
import time

from snekpy import stage


def pi(n):
    hits = 0
    for _ in range(n):
        x, y = random.random(), random.random()
        if x * x + y * y < 1.0:
            hits += 1
    return 4 * hits / n


def dice(n):
    return [random.randint(1, 6) for _ in range(n)]


def up_to(n):
    return random.randint(0, n), random.randrange(n), random.randrange(1, n + 5, 2), operator.index(n)


def spread(n):
    return random.uniform(1, 3), random.choice((1, 2, n)), random.expovariate(1.5), random.gauss(0.0, n)


def walk(n):
    position = 0
    while abs(position) < n:
        position += 1 if random.getrandbits(1) else -1
    return position


def shuffled(n):
    items = [i for i in range(n)]
    random.shuffle(items)
    return items


def unused(n):
    for _ in range(n):
        random.random()
    return n


def bits(n):
    return n.bit_length(), (-n).bit_length(), n.bit_count(), (n * 0.5).is_integer(), n.conjugate()


def timed(n):
    before = time.perf_counter()
    for _ in range(n):
        pass
    return time.perf_counter() >= before and time.time_ns() > 0 and time.time() - time.time() <= 0




for function in (pi, dice, up_to, spread, walk, shuffled, unused, bits, timed):
    random.seed(5)
    staged = stage(function)
    print(function.__name__, staged(10), staged(7), random.random())
