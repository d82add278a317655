# Dicts and sets that are filled under staged keys. Strict: all of it is compiled.
from array import array

from support import show


def histogram(xs):
    counts = {}
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
    return counts


def two_sum(xs, target):
    seen = {}
    for i in range(len(xs)):
        if target - xs[i] in seen:
            return seen[target - xs[i]], i
        seen[xs[i]] = i
    return None


def first_duplicate(xs):
    seen = set()
    for x in xs:
        if x in seen:
            return x
        seen.add(x)
    return -1


def mode(xs):
    counts = {}
    for x in xs:
        if x not in counts:
            counts[x] = 0
        counts[x] += 1
    best = xs[0]
    for x, count in counts.items():
        if count > counts[best]:
            best = x
    return best, counts[best], len(counts)


def collatz(n):
    lengths = {1: 1}
    best = 1
    for start in range(2, n):
        x = start
        steps = 0
        while x not in lengths:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        lengths[start] = lengths[x] + steps
        if lengths[start] > lengths[best]:
            best = start
    return best, lengths[best]


def least_recently_used(xs, room):
    cache = {}
    misses = 0
    for x in xs:
        if x in cache:
            value = cache.pop(x)
        else:
            misses += 1
            value = x * 1.5
            if len(cache) >= room:
                for oldest in cache:
                    break
                del cache[oldest]
        cache[x] = value
    return misses, cache


def sieve(n):
    crossed = set()
    primes = []
    for i in range(2, n):
        if i not in crossed:
            primes.append(i)
            for j in range(i * i, n, i):
                crossed.add(j)
    return primes, len(crossed)


def comprehensions(n):
    squares = {i: i * i for i in range(n)}
    rests = {i % 7 for i in range(n)}
    halves = {k: v / 2 for k, v in squares.items() if k % 3}
    return squares, sorted(rests), halves


def aggregates(n):
    d = {}
    for i in range(n):
        d[i * 7 % 13] = i
    return sum(d.values()), max(d.values()), min(d), sorted(d), list(d), len(d), bool(d)


def order(n):
    d = {}
    for i in range(n):
        d[i * 5 % 11] = i
    del d[5]
    d[5] = -1
    d[0] = -2
    out = []
    for k in d:
        out.append(k)
    for v in d.values():
        out.append(v)
    return out


def methods(n):
    d = {}
    for i in range(n):
        d[i] = i * i
    a = d.pop(n - 1)
    b = d.pop(n, -1)
    c = d.setdefault(n, 5)
    e = d.setdefault(n, 6)
    f = d.get(n + 1)
    g = d.get(1, 0)
    h = d.get(n * n + 7, 0.5)
    s = set(d)
    s.discard(0)
    s.discard(n + 9)
    s.remove(1)
    t = s.copy()
    t.clear()
    return a, b, c, e, f, g, h, sorted(s), len(t), d, d.copy() == d, n in d, n + 1 not in d


def set_operators(n, m):
    a = {i * 2 for i in range(n)}
    b = {i * 3 for i in range(m)}
    both = [sorted(a | b), sorted(a & b), sorted(a - b), sorted(a ^ b)]
    a |= {1, 3}
    b.update(range(n))
    return both, a <= b, a < b, a >= a, a == b, a != b, a.isdisjoint(b), a.issubset(b), sorted(a), sorted(b)


def merged(n, m):
    a = {i: i for i in range(n)}
    b = {i: -i for i in range(m)}
    c = a | b
    a.update({1: 100})
    b |= a
    return a, b, c, a == b, dict(a)


def truth_values(xs):
    seen = {}
    for x in xs:
        seen[x] = x > 2
    return seen, [k for k in seen if seen[k]]


def float_keys(n):
    d = {}
    for i in range(n):
        d[i / 2] = i
        d[-0.0] = 5.0 if False else i
    d[0.0] = 7
    return d


def bool_keys(n):
    d = {}
    for i in range(n):
        d[i % 3 == 0] = i
    return d, True in d, len(d)


def nested(n):
    total = 0
    for i in range(n):
        d = {}
        for j in range(i):
            d[j % 3] = d.get(j % 3, 0) + j
        for k, v in d.items():
            total += k * v
    return total


def made_in_branches(n, flag):
    if flag > 0:
        d = {}
    else:
        d = {1: 2, 3: 4}
    for i in range(n):
        d[i] = i * i
    return d


def by_two_names(n):
    a = {}
    b = a
    for i in range(n):
        a[i] = i
        b[-i] = i
    return a, b, a is b, len(a)


def put(d, key, value):
    d[key] = value
    return len(d)


def in_a_callee(n):
    d = {}
    total = 0
    for i in range(n):
        total += put(d, i % 4, i)
    return d, total


def in_a_closure(n):
    memo = {}

    def double(i):
        if i not in memo:
            memo[i] = 2 * i
        return memo[i]

    return sum([double(i % 5) for i in range(n)]), memo


def known_first(n):
    d = {1: 1, 2: 2, 3: 3}
    d[n] = 9
    for k in d:
        d[k] += k
    return d, d.pop(n), len(d)


def iterators(n):
    d = {i: i * i for i in range(n)}
    items = iter(d.items())
    first = next(items)
    second = next(items)
    rest = [k + v for k, v in items]
    pairs = [(a - b) * i for i, (a, b) in enumerate(zip(d, d.values()))]
    return first, second, rest, pairs, 3 in d.keys(), len(d.values())


def cells(n):
    # A row of the automaton 110, as a set of the cells that live.
    alive = {0}
    for _ in range(n):
        following = set()
        for x in alive:
            for y in range(x - 1, x + 2):
                here, right, left = y in alive, y + 1 in alive, y - 1 in alive
                if (here or right) and not (here and right and left):
                    following.add(y)
        alive = following
    return sorted(alive)


def long(n):
    d = {}
    for i in range(n):
        d[i * 7919 % 10007] = i
    for i in range(0, n, 3):
        d.pop(i, 0)
    total = 0
    for k, v in d.items():
        total = (total * 31 + k * 7 + v) % 1000003
    return total, len(d)


xs = array("q", [5, 3, 5, 1, 3, 5, 9, 8, 1, 2])
show(histogram, xs, array("q", []), strict=True)
show(two_sum, (xs, 17), (xs, 100), strict=True)
show(first_duplicate, xs, array("q", [1, 2]), strict=True)
show(mode, xs, strict=True)
show(collatz, 300, 2, strict=True)
show(least_recently_used, (xs, 3), (xs, 1), strict=True)
show(sieve, 60, 2, strict=True)
show(comprehensions, 20, 0, strict=True)
show(aggregates, 30, strict=True)
show(order, 9, strict=True)
show(methods, 6, strict=True)
show(set_operators, (6, 5), (2, 9), strict=True)
show(merged, (4, 6), (6, 3), strict=True)
show(truth_values, xs, strict=True)
show(float_keys, 5, strict=True)
show(bool_keys, 5, 1, strict=True)
show(nested, 12, strict=True)
show(made_in_branches, (5, 1), (2, 0), strict=True)
show(by_two_names, 5, strict=True)
show(in_a_callee, 11, strict=True)
show(in_a_closure, 12, strict=True)
show(known_first, 2, 7, strict=True)
show(iterators, 7, strict=True)
show(cells, 12, strict=True)
show(long, 20000, strict=True)
