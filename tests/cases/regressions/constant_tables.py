"""Long tuples, bytes and frozen sets are tables in compiled code."""

from snekpy import stage

FLOATS = tuple(i * 0.5 for i in range(500))
INTS = tuple((i * 7919) % 1000 - 500 for i in range(400))
FLAGS = tuple(i % 3 == 0 for i in range(90))
MIXED = tuple(i if i % 2 else i * 0.5 for i in range(90))
BIG = tuple(2**70 + i for i in range(90))
TEXT = tuple(str(i) for i in range(90))
BYTES = bytes((i * 37) % 256 for i in range(300))
FROZEN = frozenset(range(0, 900, 3))
HALVES = frozenset(i * 0.5 for i in range(50))
NESTED = tuple(tuple(i * j for j in range(40)) for i in range(40))


@stage
def looks(i):
    return FLOATS[i], INTS[i], BYTES[i], i in FROZEN, i * 0.5 in FROZEN, i in HALVES, INTS[-1], len(BYTES)


for i in (0, 3, 299, -1, -300, True):
    print(looks(i))
for i in (300, -301, 400, -401, 500, -501, 0.0, "a", None, 2**70):
    try:
        print(looks(i))
    except (IndexError, TypeError) as error:
        print(type(error).__name__, error)


@stage
def loops(n):
    total = 0
    for i in range(n):
        total += INTS[(i * 7) % 400] * BYTES[i % 300] + FLAGS[i % 90] + (i in FROZEN)
        if i % 5 == 0:
            total += MIXED[i % 90] + len(TEXT[i % 90]) + NESTED[i % 40][i % 39]
    return total, sum(INTS), max(BYTES), FLOATS[1:3], BYTES[2:5], sorted(FROZEN)[:2]


print(loops(0), loops(3), loops(1000), loops(1000))


@stage
def kinds(i):
    return type(INTS[i]), type(FLAGS[i]), FLAGS[i], MIXED[i], BIG[i] % 10, TEXT[i], FLOATS[i] is FLOATS[i]


print(kinds(3), kinds(80))


def reader(table):
    @stage
    def read(i):
        return table[i] + 1

    return read


print(reader(INTS)(5), reader(BYTES)(5), reader(FLOATS)(5))
INTS = INTS[::-1]
BYTES = BYTES[::-1]
FROZEN = frozenset(range(1, 900, 3))
print(looks(0), loops(100))


@stage
def inside(n):
    t = 0
    for i in range(n):
        t = (t * 31 + (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5, 0, 2, 8)[i % 35]) % 1009
    return t


@stage
def handed(n):
    """The table itself goes on, too."""
    t = INTS
    for i in range(n):
        if t[i] > 450:
            return t, i
    return t[n:], n


print(inside(100), [(len(it), i, it is INTS) for it, i in (handed(0), handed(399), handed(3))])


WORDS = "wörter sind ä 😀 und mehr davon, " * 12


@stage
def characters(n):
    t, kept = 0, []
    for i in range(n):
        c = WORDS[(i * 7) % 384]
        if c == "ö" or c > "m" or c in "ind":
            t += ord(c)
        if i % 50 == 0:
            kept.append(c)
    return t, "".join(kept), WORDS[-1], WORDS[n % 384]


print(characters(0), characters(400), len(WORDS))
for n in (384, -385, 0.5):
    try:
        print(stage(lambda i: WORDS[i])(n))
    except (IndexError, TypeError) as error:
        print(error)


@stage
def goes_over(n):
    t, seen = 0.0, []
    for x in FLOATS:
        t += x * n
        if x > 200.0 + n:
            seen.append(x)
            break
    else:
        seen.append("all")
    for b in BYTES:
        if b == n:
            continue
        t += b
    for i, x in enumerate(INTS):
        t += i * x
    for x, y in zip(FLOATS, INTS):
        t -= x * y
    return t, seen, [x for x in INTS if x > 490 + n], {b for b in BYTES if b < n}, max(x * n for x in FLOATS)


print(goes_over(0), goes_over(3), goes_over(1000))


@stage
def leaves(n, limit):
    t = 0
    try:
        for x in INTS:
            t += 100 // (x - n)
            if t > limit:
                print("left at", x, t)
    except ZeroDivisionError as error:
        return str(error), t
    return t


print(leaves(1000, 10**9), leaves(INTS[70], 10**9), leaves(-600, 60))
