"""Low bits that a mask takes: on the next line, through variables, and where something else is done with the number."""

from snekpy import stage

MASK32, WIDE, ODD = 0xFFFFFFFF, 2**64 - 1, 0xFF00FF


def lines(x, y):
    x *= y
    x &= MASK32
    y = y * y * y
    y &= WIDE
    return x, y


def read_between(x, y):
    x *= y
    z = x
    x &= MASK32
    return x, z


def other_variable(x, y):
    z = x * y
    w = z & MASK32
    return w, z


def chained(x, y):
    return (x * y + y * x - (x << 7)) & MASK32, (x * y ^ x | y) & ODD, (x + y) * (x - y) % 2**16


def conditions(x, y):
    a = (x * y if x > y else x + y) & MASK32
    b = (x * y) & (MASK32 if x > 0 else WIDE)
    return a, b


def loops(x, n):
    total = 0
    for i in range(n):
        x = x * 31 + i
        x &= WIDE
        if x & 1:
            total = total * 33 + x & WIDE
        else:
            total ^= x
    return total, x


def nested(x, n):
    for i in range(n):
        for j in range(3):
            x = (x ^ j) * 0x100000001B3 & WIDE
            if j == 1 and x < 2**63:
                break
        else:
            x = ~x & WIDE
    return x


def handled(x, n):
    try:
        x = (x * 7919 + 1) & WIDE
        return x // (n % 3), x
    except ZeroDivisionError:
        return x, "zero"


class State:
    def __init__(self, x):
        self.x = x


def objects(x, n):
    state = State(x)
    for _ in range(n):
        state.x = (state.x * 25214903917 + 11) & (2**48 - 1)
        state.x ^= state.x >> 16
    return state.x


def generated(seed):
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) & WIDE
        yield seed >> 33


def generators(x, n):
    return [a % 6 + 1 for a, _ in zip(generated(x), range(n))]


def recursive(x, n):
    return x if n == 0 else recursive((x * 69069 + 1) & WIDE, n - 1)


def exact(x, n):
    # No mask: what Python has in full.
    y = x & WIDE
    for _ in range(n):
        y = y * 3 + 1
    return y


def closing(x):
    def turned(y):
        return (y << 9 | y >> 55) & WIDE

    y = x & WIDE
    return turned(y) ^ turned(turned(y)), sum(turned(i) & 7 for i in range(5))


def signs(x, y):
    return (x - y) & 7, (-x) & WIDE, -x & MASK32, ~(x * y) & MASK32, (x * y) % 2**8, x * y // 2**8 if x * y < 99 else 0


def table(x, n):
    cells = [0] * 16
    for _ in range(n):
        x = x * 2862933555777941757 + 3037000493 & WIDE
        cells[x >> 60] += 1
        cells[x % 16] += 2
    return cells


VALUES = [0, 1, 5, -1, -7, 12345, 2**31, 2**40 + 3, -(2**40), 2**62, 2**63 - 1, -(2**63)]
for function in lines, read_between, other_variable, chained, conditions, signs:
    staged = stage(function)
    print(function.__name__)
    for at, x in enumerate(VALUES):
        print(staged(x, VALUES[at * 5 % 12]), staged(VALUES[-at], x))
for function in loops, nested, handled, objects, generators, recursive, exact, table:
    staged = stage(function)
    print(function.__name__)
    for x in VALUES:
        print(staged(x, 0), staged(x, 1), staged(x, 12))
closing = stage(closing)
for x in VALUES:
    print(closing(x))
