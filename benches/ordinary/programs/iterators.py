from itertools import combinations, groupby, islice, product


def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def evens(it):
    for x in it:
        if x % 2 == 0:
            yield x


def pipeline(n):
    return sum(islice(evens(fib()), n))


def flatten(x):
    for e in x:
        if isinstance(e, list):
            yield from flatten(e)
        else:
            yield e


def nest(d):
    return [nest(d - 1), d, nest(d - 1)] if d else [0]


def flat_sum(x):
    return sum(flatten(x))


def triples(n):
    return [(a, b, c) for a in range(1, n) for b in range(a, n) for c in range(b, n) if a * a + b * b == c * c]


def subsets(items, target):
    return sum(1 for k in range(len(items)) for c in combinations(items, k) if sum(c) == target)


def dice(n):
    out = {}
    for roll in product(range(1, 7), repeat=n):
        s = sum(roll)
        out[s] = out.get(s, 0) + 1
    return out


def runs(xs):
    return [(k, len(list(g))) for k, g in groupby(xs)]


def perms(xs):
    if len(xs) <= 1:
        return [xs]
    out = []
    for i in range(len(xs)):
        for p in perms(xs[:i] + xs[i + 1 :]):
            out.append([xs[i]] + p)
    return out


def bench_pipeline():
    return pipeline(40)


def bench_flat():
    return flat_sum(nest(6))


def bench_triples():
    return len(triples(45))


def bench_subsets():
    return subsets([3, 5, 7, 9, 11, 13, 17, 19, 21], 40)


def bench_dice():
    return dice(4)


def bench_runs():
    return runs([i // 7 % 3 for i in range(600)])[:4]


def bench_perms():
    return len(perms(list(range(6))))
