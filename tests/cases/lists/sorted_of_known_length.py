# Lists of known length with staged numbers are sorted as numbers. Strict: all of it is compiled.
from support import show


def three(a, b, c):
    items = [a, b, c]
    items.sort()
    low, middle, high = items
    return low, middle, high, sorted((c, b, a), reverse=True)


def median(a, b, c):
    return sorted([a, b, c])[1]


def in_loop(n):
    total = 0
    for i in range(n):
        small, large = sorted([i * 7 % 5, 3])
        total += large * 10 + small
    return total


def argument(items):
    items.sort(reverse=True)
    return items[0]


nan = float("nan")
show(three, (3, 1, 2), (1.5, -0.0, 0.0), (True, False, True), strict=True)
show(three, (nan, 1.0, 0.5), (1, 2.5, 0))
show(median, (3, 1, 2), (2, 2, 1), strict=True)
show(in_loop, 6, 0, strict=True)
show(argument, [3, 1, 2], [0.5, 1.5], strict=True)
