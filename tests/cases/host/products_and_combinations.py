"""`itertools.product` and its like: loops in loops in compiled code. What they are given is looked at when they are called,
and where the call is left they are what they are."""

import itertools
from itertools import combinations, combinations_with_replacement, permutations, product

from snekpy import stage


@stage
def pairs(n):
    total = 0
    for a, b in combinations(range(n), 2):
        total += a * b - (a ^ b)
    return total


@stage
def nearest(points):
    best = float("inf")
    which = None
    for (i, (x, y)), (j, (u, v)) in combinations(enumerate(points), 2):
        distance = (x - u) ** 2 + (y - v) ** 2
        if distance < best:
            best = distance
            which = i, j
    return best, which


@stage
def triples(limit):
    found = []
    for a, b, c in combinations(range(1, limit), 3):
        if a * a + b * b == c * c:
            found.append((a, b, c))
    return found


@stage
def grid(width, height):
    inside = 0
    for x, y in product(range(width), range(height)):
        if x * x + y * y > 400:
            continue
        if x == 19 and y == 3:
            break
        inside += 1
    else:
        inside = -inside
    return inside


@stage
def dice(sides):
    counts = [0] * (4 * sides + 1)
    for roll in product(range(1, sides + 1), repeat=4):
        counts[sum(roll)] += 1
    return counts


@stage
def bits(n):
    return sum(1 for flags in product([False, True], repeat=3) if sum(flags) * n > n)


@stage
def routes(distances, n):
    best = None
    for a, b, c in permutations(range(1, n), 3):
        length = distances[0][a] + distances[a][b] + distances[b][c] + distances[c][0]
        if best is None or length < best:
            best = length
    return best


@stage
def orders(items):
    return [a - b for a, b in permutations(items, 2)], list(permutations(items, 1)), len(list(permutations(items, 4)))


@stage
def with_replacement(items):
    return [a * b for a, b in combinations_with_replacement(items, 2)]


@stage
def all_lengths(n):
    counts = []
    for r in (0, 1, 2, 3, 4, 5):
        counts.append(sum(1 for _ in combinations(range(n), r)))
        counts.append(sum(1 for _ in permutations(range(4), r)))
        counts.append(sum(1 for _ in combinations_with_replacement([n, 1], r)))
        counts.append(sum(1 for _ in product(range(2), repeat=r)))
    return counts


@stage
def all_permutations(n):
    return [p[0] * n for p in permutations([1, 2, 3])]


@stage
def changed_meanwhile(items):
    seen = []
    for a, b in product(items, items):
        items.append(a + b)
        seen.append(a * b)
        if len(seen) > 40:
            break
    return seen, items


@stage
def changed_before(items):
    later = combinations(items, 2)
    items.append(100)
    items[0] = 7
    return sum(a * b for a, b in later)


def numbers(log, n):
    for i in range(n):
        log.append(i)
        yield i


@stage
def of_generators(n):
    log = []
    later = product(numbers(log, n), numbers(log, 2))
    log.append("made")
    for a, b in later:
        log.append(a * 10 + b)
    return log


@stage
def left(items, log):
    total = 0
    for a, b in combinations(items, 2):
        total += a * b
        if total > 100:
            log.append(str(total))
    return total


@stage
def past_64_bits(n):
    total = 1
    for a, b in combinations(range(1, n), 2):
        total = total * (a + b)
    return total


@stage
def handed_on(n):
    it = combinations(range(n), 2)
    first = next(it)
    return type(it).__name__, first, list(it)[-1]


@stage
def given_back(n):
    return product(range(n), "ab"), combinations((n, n + 1, n + 2), 2)


@stage
def wrong(n, which):
    if which == 0:
        return sum(a for a, b in combinations(n, 2))
    if which == 1:
        return sum(1 for _ in combinations(range(n), -2))
    if which == 2:
        return sum(1 for _ in product(range(n), repeat=-1))
    if which == 3:
        return sum(1 for _ in product(range(n), other=2))
    if which == 4:
        return sum(a // b for a, b in product(range(n), repeat=2))
    return sum(1 for _ in permutations(range(n), n))


for n in (0, 1, 7, 30):
    print(pairs(n), triples(n), grid(n, 20), all_lengths(n), all_permutations(n), bits(n))
for n in (1, 3, 6):
    print(dice(n))
print(nearest([(i * 7.5 % 13, i * 3.3 % 17) for i in range(40)]), nearest([]))
print(routes([[(i * 37 + j * 11) % 23 + 1 for j in range(9)] for i in range(9)], 9))
for items in ([3, 1, 4, 1, 5], [], [2.5, 1.5], (9, 8, 7)):
    print(orders(items), with_replacement(items))
for items in ([1, 2], [3], []):
    print(changed_meanwhile(items), changed_before([5, 6]))
for n in (3, 0):
    print(of_generators(n))
for _ in range(2):
    log = []
    print(left([1, 5, 9, 2, 8], log), log)
print(past_64_bits(4), past_64_bits(12), handed_on(5))
pair, triple = given_back(2)
print(type(pair).__name__, list(pair), type(triple).__name__, list(triple))
for which in range(6):
    try:
        print(wrong(3, which))
    except Exception as error:
        print(type(error).__name__)
print(itertools.product is product)
