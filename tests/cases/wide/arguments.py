"""Ints of 64 bits without a sign that are passed: alone, in tuples, objects, by keyword, from call to call, and longer ones."""

from snekpy import stage

MASK = 2**64 - 1


@stage
def step(x):
    x ^= x << 13 & MASK
    x ^= x >> 7
    return x ^ (x << 17 & MASK)


@stage
def mixed(state, data, *, factor=3):
    a, b = state
    for item in data:
        a = (a * factor + item) & MASK
        b ^= a
    return a, b


class Generator:
    def __init__(self, state):
        self.state = state

    @stage
    def draw(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return self.state >> 33


@stage
def same(x, y):
    return x is x, x == y, (x, y), {"x": x}.get("x"), x


@stage
def down(x, depth):
    return x if depth == 0 else down((x * 3 + depth) & MASK, depth - 1)


@stage
def long(x):
    return x & MASK, x


seed = 0x9E3779B97F4A7C15
for _ in range(12):
    seed = step(seed)
    print(seed)
print(mixed((1, MASK), [1, 2, 3]), mixed((MASK, 2**63), [MASK, 5], factor=MASK), mixed((0, 0), []), mixed((5, -1), [7]))
drawn = Generator(2**64 - 59)
print([drawn.draw() for _ in range(10)], drawn.state)
for x in (0, 2**63 - 1, 2**63, MASK, 2**64, 2**80, -1, -(2**63) - 1):
    print(same(x, x), same(x, 2**63), down(x, 5), long(x))
