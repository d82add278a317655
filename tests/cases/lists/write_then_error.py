# A write into a list of the compiled code, and an error behind it in the same round: the write is done once.
from support import show


def counts(n, bad):
    hits = [0] * n
    rest = 0
    try:
        for i in range(n):
            hits[0] += 1
            hits[i] += hits[0] * 10
            rest += 100 // (bad - i)
    except ZeroDivisionError:
        hits[-1] -= 7
    return hits, rest


def escapes(hits, n, bad):
    rest = 0
    for i in range(n):
        hits[i] += 1
        hits[0] += hits[i]
        rest += 100 // (bad - i)
    return rest


def overflows(n, x):
    hits = [1] * n
    for i in range(n):
        hits[i] += i
        hits[0] *= 3
        x *= hits[i]
    return hits, x


def pops(hits, bad):
    rest = 0
    while hits:
        rest += hits.pop()
        rest += 100 // (bad - len(hits))
    return rest


show(counts, (5, 9), (6, 3), (7, 6), (2, 0))
show(escapes, *((list(range(40)), n, bad) for n, bad in ((9, 12), (9, 8), (12, 5), (30, 29))))
show(pops, *((list(range(40)), bad) for bad in (50, 35, 20)))
show(overflows, (4, 1), (5, 2**60), (40, 1))
