# Memos that a recursive function fills: as arguments, in a closure, as a global variable.
from snekpy import stage

from support import run, show


def fib(n, memo):
    if n in memo:
        return memo[n]
    if n < 2:
        return n
    memo[n] = fib(n - 1, memo) + fib(n - 2, memo)
    return memo[n]


def with_a_new_memo(n):
    return fib(n, {})


def with_base_cases(n):
    memo = {0: 0, 1: 1}

    def go(k):
        if k not in memo:
            memo[k] = go(k - 1) + go(k - 2)
        return memo[k]

    return go(n), memo


def visit(n, seen):
    if n <= 0 or n in seen:
        return 0
    seen.add(n)
    return 1 + visit(n - 1, seen) + visit(n - 3, seen)


def reachable(n):
    seen = set()
    return visit(n, seen), len(seen), sorted(seen)


def steps(n, cache):
    if n == 1:
        return 1
    if n in cache:
        return cache[n]
    cache[n] = 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1, cache)
    return cache[n]


def longest(n):
    cache = {}
    best = 0
    for i in range(1, n):
        best = max(best, steps(i, cache))
    return best, len(cache)


def default_memo(n, memo={}):
    if n < 2:
        return n
    if n in memo:
        return memo[n]
    memo[n] = default_memo(n - 1, memo) + default_memo(n - 2, memo)
    return memo[n]


MEMO = {0: 0, 1: 1}


def global_memo(n):
    if n in MEMO:
        return MEMO[n]
    MEMO[n] = global_memo(n - 1) + global_memo(n - 2)
    return MEMO[n]


def missing(n, memo):
    if n == 0:
        return memo[-1]
    memo[n] = n
    return missing(n - 1, memo)


show(with_a_new_memo, 10, 30, 1, strict=True)
show(with_base_cases, 10, 1, strict=True)
show(reachable, 9, strict=True)
show(longest, 30, 300, strict=True)
show(fib, (20, {}), (21, {}), (22, {5: 50}), (23, {5: 50}), (4, {}), strict=True)
memo = {}
run(fib, stage(fib), [(10, memo), (20, memo), (21, memo), (22, memo), (5, {1: 2})])
show(default_memo, 10, 30, 31, 40)
print(default_memo.__defaults__)
show(global_memo, 10, 30, 31, 40)
print(MEMO)
show(missing, (3, {}), (3, {1: 1}), (3, {-1: 7}), strict=True)
