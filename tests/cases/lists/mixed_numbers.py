# Lists of ints and floats, and of truth values: each item keeps its type, and comparisons are exact.
import math

from support import show


def relaxed(n, s):
    d = [math.inf] * n
    d[s] = 0
    for i in range(n - 1):
        if d[i] + 1 < d[i + 1]:
            d[i + 1] = d[i] + 1
    return d, sum(d), min(d), max(d)


def comprehended(n, s):
    d = [0 if i == s else math.inf for i in range(n)]
    return d, d[s], d[s] + 1, d[s - 1] + 1


def coins(amount):
    best = [math.inf] * (amount + 1)
    best[0] = 0
    for i in range(1, amount + 1):
        for coin in (1, 4, 9):
            if coin <= i and best[i - coin] + 1 < best[i]:
                best[i] = best[i - coin] + 1
    return best


def halves(n):
    out = []
    for i in range(n):
        out.append(i // 2 if i % 2 == 0 else i / 2)
    return out, sum(out), out[::2], out[1:4]


def sums(n):
    rows = [[0.5] * i for i in range(n)]
    return [sum(row) for row in rows]


def exact(n):
    d = [0] * n
    d[0] = 2**53 + 1
    d[1] = float(2**53)
    d[2] = 2**53
    d[3] = 2**62 + 1
    d[4] = float(2**62)
    less = equal = 0
    for i in range(n):
        for j in range(n):
            less = less * 3 % 1000003 + (d[i] < d[j])
            equal = equal * 3 % 1000003 + (d[i] == d[j])
    return less, equal, d


def truths(n):
    d = [0] * n
    for i in range(n):
        d[i] = i > 3
    d[0] = 2.5
    d[1] = 7
    return d, sum(d), d[2] is False, d[n - 1] is True, d[1] + d[n - 1], [type(x).__name__ for x in d[:5]]


def arithmetic(n):
    d = [1] * n
    d[1] = 2.5
    d[2] = True
    a = b = 0
    for x in d:
        for y in d:
            a += x * y - x // y + x % y
            b += x / y + x ** 2 - (-x) + abs(y)
    return a, b


def divided(n, k):
    d = [1] * n
    d[1] = 0.0
    d[2] = 0
    return 1 / d[k]


def overflows(n, k):
    d = [2**62] * n
    d[1] = 2.0**62
    return d[k] * 4


def bits(n, k):
    d = [6] * n
    d[1] = 2.0
    return d[k] & 3


def rounds(n):
    d = [3] * n
    d[1] = 2.5
    d[2] = -0.5
    out = 0
    for x in d:
        out += round(x) + int(x) + math.floor(x) + math.ceil(x)
    return out, math.sqrt(d[0]) + math.sqrt(d[1]), [round(x, 1) for x in d[:3]]


def nans(n):
    d = [0] * n
    d[1] = math.nan
    d[2] = -0.0
    return d[1] == d[1], d[1] < 0, max(d[2], d[0]), min(d[0], d[2]), d[:4]


def equal(n):
    a, b = [0] * n, [0] * n
    a[1], b[1] = 1, 1.0
    a[2], b[2] = 2.0, 2
    same = a == b
    b[3] = 0.5
    return same, a == b, a != b, a + b, a * 2


def reversed_and_copied(n):
    d = [1] * n
    d[0] = 0.5
    e = d.copy()
    d.reverse()
    d.extend(e)
    d.insert(1, 9)
    d.insert(2, 9.5)
    f = list(d)
    f.remove(9)
    return d, e, f, len(d), list(enumerate(e))[:3], [a + b for a, b in zip(d, e)]


def sorting(n):
    d = [5] * n
    d[1] = 2.5
    d[2] = 7.25
    d.sort()
    return d, sorted([x * 2 for x in d], reverse=True)


def best_of(n):
    d = [5] * n
    d[1] = 2.5
    d[2] = 5.0
    return max(d), min(d), max(d, key=lambda x: -x), min(range(n), key=lambda i: d[i])


def type_changes(n):
    d = [0] * n
    for turn in range(3):
        for i in range(n):
            d[i] = d[i] + (1 if (i + turn) % 3 else 0.5)
    return d


def deoptimised(n, k):
    d = [1] * n
    d[1] = 0.5
    seen = []
    for i in range(n):
        if i == k:
            d[i] = 2**63
        d[i] = d[i] + 1
        seen.append(d[i])
    return seen, d


def text_in_the_middle(n, k):
    d = [1] * n
    d[1] = 0.5
    for i in range(n):
        if i == k:
            d[i] = "x"
    return d


def stacked(n):
    stack = [0]
    total = 0
    for i in range(n):
        stack.append(i * 0.5 if i % 3 else i)
        if len(stack) > 4:
            total += stack.pop() + stack.pop()
    return total, stack


def chosen(n, k):
    d = [1] * n
    d[0] = 0.5
    x = d[k]
    if k > 3:
        x = d[k - 1]
    y = x if x > 0.75 else d[0]
    return x, y, [x, y], {"x": x}, (x, (y, x))


show(relaxed, (5, 2), (25, 7))
show(comprehended, (5, 2), (25, 7))
show(coins, 12, 40)
show(halves, 5, 26)
show(sums, 5, 20)
show(exact, 5, 18)
show(truths, 6, 20)
show(arithmetic, 4, 20)
for f in (divided, overflows, bits):
    show(f, (5, 0), (5, 1), (5, 2), (25, 0), (25, 1), (25, 2))
show(rounds, 4, 18)
show(nans, 4, 20)
show(equal, 5, 20)
show(reversed_and_copied, 4, 19)
show(sorting, 5, 20)
show(best_of, 5, 20)
show(type_changes, 5, 20)
show(deoptimised, (6, 99), (6, 3), (20, 99), (20, 15))
show(text_in_the_middle, (6, 99), (6, 3), (20, 19))
show(stacked, 9, 30)
show(chosen, (5, 0), (5, 4), (20, 0), (20, 1), (20, 9))
