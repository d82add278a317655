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


def pairs(n, bad):
    made = []
    for i in range(n):
        made.append((i, i * 0.5))
        try:
            made[i // 2] = (i // (bad - i), 2.5)
        except ZeroDivisionError:
            made.append((-i, 0.25))
    return made


show(counts, (5, 9), (6, 3), (7, 6), (2, 0))
show(pairs, (5, 9), (6, 3), (7, 6), (2, 0))
