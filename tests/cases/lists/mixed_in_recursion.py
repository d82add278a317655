# Lists of numbers of several types, or None, in recursive functions: what is kept, what is collected, what is given back.
from support import show
from snekpy import stage


def fib(n):
    memo = [None] * (n + 1)

    def at(k):
        if k < 2:
            return k
        if memo[k] is not None:
            return memo[k]
        memo[k] = at(k - 1) + at(k - 2)
        return memo[k]

    return at(n)


@stage
def fib_with(n, memo):
    if n < 2:
        return n
    if memo[n] is not None:
        return memo[n]
    value = fib_with(n - 1, memo) + fib_with(n - 2, memo)
    memo[n] = value
    return value


for n in (5, 30, 60):
    memo = [None] * (n + 1)
    print(fib_with(n, memo), memo[:8], memo[-1])


@stage
def paths(r, c, memo):
    if r == 0 or c == 0:
        return 1
    if memo[r][c] is None:
        memo[r][c] = paths(r - 1, c, memo) + paths(r, c - 1, memo)
    return memo[r][c]


for n in (3, 9, 14):
    memo = [[None] * (n + 1) for _ in range(n + 1)]
    print(paths(n, n, memo), memo[1], memo[-1][-1])


@stage
def subsets(items, i, chosen, found):
    if i == len(items):
        found.append(sum(chosen))
        return
    subsets(items, i + 1, chosen, found)
    chosen.append(items[i])
    subsets(items, i + 1, chosen, found)
    chosen.pop()


for items in ([True, 3], [None], [1, 2.5, True], [1, 2.5] * 4):
    chosen, found = [], []
    try:
        subsets(items, 0, chosen, found)
    except TypeError as error:
        print(error)
    print(items, chosen, found)


@stage
def halve(items, lo, hi):
    if hi - lo == 1:
        return items[lo]
    mid = (lo + hi) // 2
    return halve(items, lo, mid) + halve(items, mid, hi)


for items in ([1, 2.5] * 16, [1] * 32, [True, 2] * 16, [1, 2, None] * 8):
    try:
        print(repr(halve(items, 0, len(items))))
    except TypeError as error:
        print(error)


@stage
def find(parent, x):
    if parent[x] is None:
        return x
    root = find(parent, parent[x])
    parent[x] = root
    return root


parent = [None] + [i // 2 for i in range(1, 40)]
parent[1] = None
print([find(parent, x) for x in (39, 7, 1, 0)], parent)


show(fib, 5, 30, 80)
