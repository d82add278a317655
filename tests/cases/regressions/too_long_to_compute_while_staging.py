# What is known and takes long, or gives much, is not computed while staging: the program may never come there.
import math

from support import show

SOME = 70_000


def shouts(n):
    if n < 0:
        return "x" * 10**11, b"x" * 10**11, (1, 2) * 10**11, [0, 1] * 10**11, "x".ljust(10**11), "x".zfill(10**11)
    return n


def raises(n):
    if n < 0:
        return 10 ** 10**9, 1 << 10**11, pow(7, 10**9), (5).__pow__(10**9), 7**7**7**7, round(5, -(10**9))
    return n


def counts(n):
    if n < 0:
        return sum(range(10**10)), sorted(range(10**10)), max(range(10**10)), set(range(10**10)), bytes(10**11)
    return n


def multiplies(n):
    if n < 0:
        return math.factorial(10**7), math.comb(10**7, 10**6), math.prod(range(1, 10**7)), dict.fromkeys(range(10**10))
    return n


def writes(n):
    if n < 0:
        return f"{3:10000000000}", "%10000000000d" % 3, "%*d" % (10**10, 3), "{:{}}".format(3, 10**10)
    return n


def doubles(n):
    text, items, number, pair, quoted, written = "a", (1,), 3, (), "'", "b"
    if n < 0:
        for _ in range(60):
            text += text
            items = items + items
            number = number * number
            pair = (pair, pair)
            quoted = repr(quoted)
            written = f"{written}{written}"
    return n, text, pair


class Link:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


def listed(p, most=12):
    out = []
    while p is not None and len(out) < most:
        out.append(p.value)
        p = p.next
    return out


def total(p):
    return 0 if p is None else (p.value + total(p.next)) % 1009


def links(n):
    p = None
    for i in range(n % 12):
        p = Link("x" if total(Link(3037000500 % 257 - 100, Link(2))) < 0.05 else i, p)
    q = Link(3)
    for _ in range((0 * n % 257 - 100) % 60):
        q = Link(q.value * 3, q)
    return listed(p), listed(q, 3)


def sums(n):
    return sum(range(SOME)) + n, len("ab" * SOME), len(str(10**300)), ("%05d" % n).rjust(12), f"{n:>12}{3:7.2f}"


def powers(n):
    return 3**SOME % 1000003 + n, (1 << SOME) % 1000003, len(",".join(["ab"] * SOME)), sum([n, 1] * SOME)


for function in shouts, raises, counts, multiplies, writes, doubles, links, sums, powers:
    show(function, 1)
    show(function, 3)
