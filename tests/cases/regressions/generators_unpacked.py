"""A generator that is unpacked: into variables, with a star, into a list, a set and arguments, and what goes wrong inside."""
import random

from snekpy import stage


@stage
def three(a):
    x, y, z = (a * i for i in range(3))
    return x, y, z


@stage
def starred(a):
    first, *rest = (a + i for i in range(5))
    return first, rest, [0, *(a - i for i in range(3))], sorted({*(a // (i + 1) for i in range(3))})


def most(*items):
    return max(items), len(items)


@stage
def passed(a):
    return most(*(a * i for i in range(4)), a)


@stage
def drawn(a):
    x, y, z = (random.uniform(-a, a) for _ in range(3))
    return x + y + z


@stage
def too_many(a):
    items = (a + i for i in range(9))
    try:
        x, y = items
    except ValueError as error:
        return str(error), next(items)
    return x, y


@stage
def too_few(a):
    try:
        x, y, z = (a + i for i in range(2))
    except ValueError as error:
        return str(error)
    return x, y, z


@stage
def fails(a, log):
    def items():
        for i in range(3):
            log.append(i)
            yield 10 // (a - i)

    x, y, z = items()
    return x + y + z


@stage
def beyond(a):
    x, y, z = (a**i for i in (1, 20, 40))
    return x, y, z


@stage
def slices(xs, n):
    total, start = 0.0, 0
    for _ in range(n):
        rows = slice(start, start + 2)
        total += sum(xs[rows])
        start += 1
    back = slice(None, None, -1)
    return total, xs[back], slice(n), slice(1, n, 2)


@stage
def chosen(a, xs):
    rows = slice(0, a) if a > 2 else slice(1, a + 1)
    return xs[rows], rows.start, rows.stop


for a in (3, 7, 2.5, 10**12):
    print(three(a), starred(a), passed(a), too_many(a), too_few(a))
for a in (5, 4, 2, 1, 0, 6):
    log = []
    try:
        print(fails(a, log), log)
    except ZeroDivisionError as error:
        print(type(error).__name__, error.__traceback__.tb_next.tb_next.tb_lineno, log)
for a in (2, 3, 9, 2.0):
    print(beyond(a))
random.seed(1)
print(*(drawn(float(a)) for a in range(5)))
print(slices([1.0, 2.0, 3.0, 4.0], 3), slices([1.0, 2.0, 3.0, 4.0], 2))
print(chosen(1, [1, 2, 3, 4]), chosen(3, [1, 2, 3, 4]))
