"""Ints of 64 bits without a sign: every operator at edge values, beside ints of either sign, and what leaves."""

#@ reference snekpy: what is said of a remainder by zero

from snekpy import stage

MASK = 2**64 - 1
EDGES = [0, 1, 2, 7, 63, 2**31, 2**32 - 1, 2**53, 2**53 + 1, 2**62, 2**63 - 1025, 2**63 - 1]
EDGES += [-1, -2, -63, -(2**31), -(2**53) - 1, -(2**62) + 5, -(2**63) + 1025, -(2**63)]

OPERATIONS = {
    "and": lambda w, v, i: (w & v, w & i, i & w, w & 255, w & (2**63), w & -8, w & MASK),
    "or": lambda w, v, i: (w | v, w | (i & MASK), w | 1, 2**63 | w),
    "or of a sign": lambda w, v, i: (w | i, i ^ w),
    "xor": lambda w, v, i: (w ^ v, w ^ (i & MASK), w ^ 2**63, 5 ^ w, (w ^ i) & MASK, (w ^ i) & 0xFFFF),
    "shifts": lambda w, v, i: (w >> 0, w >> 1, w >> 33, w >> 63, w >> 64, w >> 900, (w << 5) & MASK, (w << 63) & 2**63),
    "shifts by numbers": lambda w, v, i: (w >> (i & 63), (w << 9) % 2**64, w >> (v & 31)),
    "wrong shifts": lambda w, v, i: w >> -(i & 3),
    "sums": lambda w, v, i: ((w + v) & MASK, (w + i) & MASK, (i - w) & MASK, (w - v) % 2**64, (w - 1) & 2**40),
    "long sums": lambda w, v, i: (w + v, w - v, w + 1),
    "products": lambda w, v, i: ((w * v) & MASK, (w * i) & MASK, (i * i) & MASK, (w * v) % 2**20, (w * 3 + v) & MASK),
    "long products": lambda w, v, i: (w * v, w * 2, -w, ~w),
    "remainders": lambda w, v, i: (w % 10, w % 1, w % 2**64, w % 2**63, w % 2**62, w % (2**62 - 57), w % 1000003),
    "remainders by numbers": lambda w, v, i: (w % ((i & 0xFFF) + 1), w // ((i & 0xFFF) + 1), w % (2**63 - 1)),
    "wrong divisors": lambda w, v, i: w % (i & 1),
    "divisors with a sign": lambda w, v, i: (w % -7, w // -7, w // (i | 1)),
    "quotients": lambda w, v, i: (w // 1, w // 2, w // 10, w // 2**40, w // 2**63, w // 2**64, w // 3, w // v if v else 0),
    "fractions": lambda w, v, i: (w / 2**64, w / 1, w / 2**11, w / 3, w / (v | 1), w / 0.5),
    "floats": lambda w, v, i: (float(w), w * 0.5, w + 0.25, float(w) - w, w ** 0.5),
    "order": lambda w, v, i: (w < v, w <= v, w == v, w != v, w > v, w >= v, w < i, w <= i, w == i, w != i, w > i, w >= i),
    "order of others": lambda w, v, i: (i < w, i == w, 3 < w, w > 2**63, w == MASK, w < 2**64, w > -(2**70), w == 0.5),
    "order beside floats": lambda w, v, i: (w < 1e19, w == 2.0**63, w >= float(i)),
    "truth": lambda w, v, i: (bool(w), not w, 1 if w else 2, w and v, w or i, w is None),
    "calls": lambda w, v, i: (int(w), abs(w), min(w, v), max(w, i), sum([w, v]), divmod(w, 7), pow(w, 2, 1000), hash(w)),
    "texts": lambda w, v, i: (str(w), f"{w:x}", "%d" % w, hex(w), repr(w), w.bit_length(), w.to_bytes(8, "big")),
    "containers": lambda w, v, i: ([w, v], (w,), {"a": w}, {w: 1}, w in (v, i), [w, i].index(w), sorted([w, v, i])),
    "classes": lambda w, v, i: (type(w), isinstance(w, int), isinstance(w, float), w.real, w.__class__),
    "branches": lambda w, v, i: (w if i > 0 else v, w if w > v else i, (w if v else 5) & MASK),
}


def made(operation):
    def run(x, y, i):
        return operation(x & MASK, y & MASK, i)

    return stage(run)


def attempt(function, *arguments):
    try:
        return function(*arguments)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        return type(error).__name__, str(error)


for name, operation in OPERATIONS.items():
    function = made(operation)
    print(name)
    for at, x in enumerate(EDGES):
        for y, i in ((EDGES[at * 7 % 20], EDGES[at * 3 % 20]), (x, x), (EDGES[-at], EDGES[at - 5])):
            print(attempt(function, x, y, i))
