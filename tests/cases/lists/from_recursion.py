# Recursive functions that are given lists, make them, change them and return them.
from snekpy import stage
from support import show


def quicksort(items):
    if len(items) <= 1:
        return items
    pivot = items[len(items) // 2]
    left = [x for x in items if x < pivot]
    mid = [x for x in items if x == pivot]
    right = [x for x in items if x > pivot]
    return quicksort(left) + mid + quicksort(right)


def mergesort(a):
    if len(a) < 2:
        return a
    m = len(a) // 2
    l, r = mergesort(a[:m]), mergesort(a[m:])
    out = []
    i = j = 0
    while i < len(l) and j < len(r):
        if l[i] <= r[j]:
            out.append(l[i])
            i += 1
        else:
            out.append(r[j])
            j += 1
    out.extend(l[i:])
    out.extend(r[j:])
    return out


def hanoi(n, a, b, c):
    if n == 0:
        return []
    return hanoi(n - 1, a, c, b) + [a * 10 + c] + hanoi(n - 1, b, a, c)


def scaled(n, x):
    if n == 0:
        return []
    out = scaled(n - 1, x)
    out.append(n * x)
    return out


def pascal(n):
    if n == 0:
        return [1]
    prev = pascal(n - 1)
    return [1] + [prev[i] + prev[i + 1] for i in range(len(prev) - 1)] + [1]


def fibs(n):
    if n == 0:
        return [0, 1]
    a, b = fibs(n - 1)
    return [b, a + b]


def split(xs):
    if len(xs) < 2:
        return xs, 0
    a, i = split(xs[: len(xs) // 2])
    b, j = split(xs[len(xs) // 2 :])
    return b + a, i + j + 1


def permutations(xs):
    if len(xs) <= 1:
        return [xs]
    out = []
    for i in range(len(xs)):
        for rest in permutations(xs[:i] + xs[i + 1 :]):
            out.append([xs[i]] + rest)
    return out


def subsets(xs, i):
    if i == len(xs):
        return [[]]
    rest = subsets(xs, i + 1)
    return rest + [[xs[i]] + s for s in rest]


def rows(n):
    if n == 0:
        return []
    r = rows(n - 1)
    r.append([n] * n)
    return r


def digits(n):
    return digits(n // 10) + [n % 10] if n >= 10 else [n]


def maybe(n):
    if n < 0:
        return None
    if n == 0:
        return []
    r = maybe(n - 1)
    if r is None:
        return None
    r.append(n)
    return r


def even(n):
    return [n] if n == 0 else [n] + odd(n - 1)


def odd(n):
    return even(n - 1) if n > 0 else [-1]


# What comes back may be what was given: whatever changes one changes the other.
def last(xs, n):
    if n == 0:
        return xs
    return last(xs, n - 1)


def same(n):
    xs = [n, n + 1]
    for i in range(n):
        xs.append(i)
    ys = last(xs, n)
    ys.append(100)
    xs[0] = -1
    return xs, ys, len(xs), xs is ys


def same_of_two(n):
    xs, ys = [1.0] * n, [2.0] * n
    zs = last(xs if n % 2 else ys, n)
    zs[0] = 9.0
    return xs, ys, zs, zs is xs


def given(xs, n):
    ys = last(xs, n)
    ys.append(n)
    return ys


def both(n):
    if n == 0:
        r = [0]
        return r, r
    a, b = both(n - 1)
    a.append(n)
    return b, a


# What is handed down is changed further in.
def fill(xs, n):
    if n < 0:
        return xs
    xs[n] = n * n
    return fill(xs, n - 1)


def collect(n, out):
    if n > 0:
        collect(n - 1, out)
        out.append(n)
        collect(n - 2, out)
    return len(out)


def collected(n):
    out = []
    for i in range(3):
        out.append(i)
    return collect(n, out), out


# Errors in the middle, and numbers that grow.
def fails(xs, n):
    xs.append(n)
    if n == 0:
        return [1 // (len(xs) - 5)]
    return fails(xs, n - 1) + [n]


def caught(n):
    xs = [1]
    for i in range(2):
        xs.append(i)
    try:
        return fails(xs, n), xs
    except ZeroDivisionError as error:
        return type(error).__name__, xs


def powers(n, x):
    if n == 0:
        return [1]
    p = powers(n - 1, x)
    return p + [p[-1] * x]


def told(n):
    if n == 0:
        return [0]
    r = told(n - 1)
    print("at", n, len(r))
    return r + [n]


# What compiled code cannot return goes on as plain Python.
def texts(n):
    return [] if n == 0 else texts(n - 1) + [str(n)]


def table(n):
    return {} if n == 0 else {**table(n - 1), n: n * n}


def mixed(n):
    return [] if n == 0 else mixed(n - 1) + [n if n % 2 else n / 2]


DATA = [(i * 7919 + 13) % 1007 for i in range(300)]
show(quicksort, DATA, [3, 1, 2], [], [5], [2.5, 1.5] * 20)
show(mergesort, DATA, [3, 1, 2], [], [0.5, -0.0, 0.0] * 20)
show(hanoi, (1, 1, 2, 3), (6, 1, 2, 3))
show(scaled, (5, 0.5), (40, 0.25), (4, 2), (0, 1))
show(pascal, 0, 5, 12)
show(fibs, 0, 10, 95)
show(split, DATA[:40], [1, 2, 3])
show(permutations, [1, 2, 3], [4, 3, 2, 1], [1.5])
show(subsets, ([1, 2, 3], 0), (list(range(5)), 0))
show(rows, 0, 4, 7)
show(digits, 7, 12345, 987654321)
show(maybe, 3, 9, -1)
show(even, 0, 5, 8)
show(same, 2, 30)
show(same_of_two, 3, 4, 35)
show(both, 0, 1, 6)
show(fill, ([0] * 40, 20), ([0.5] * 3, 5))
show(collected, 4, 6)
show(caught, 1, 2, 4)
show(powers, (5, 2), (40, 3), (70, 2))
show(told, 3)
show(texts, 4)
show(table, 4)
show(mixed, 5)

mine = list(range(50))
out = stage(given)(mine, 3)
print(out is mine, len(mine), mine[-1])
for again in range(3):
    print(stage(given)(mine, again) is mine, len(mine))
try:
    stage(scaled)(100_000, 0.5)
except RecursionError:
    print("too deep")
