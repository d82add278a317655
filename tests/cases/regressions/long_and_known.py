# Loops in which everything is known now, and which are long: they are captured like others, or go on as they are.
from snekpy import stage

TABLE = [(i * 7) % 11 for i in range(3000)]


def total():
    result = 0
    for i in range(5000):
        result += i * i % 7
    return result


def nested():
    result = 0.0
    for i in range(120):
        for j in range(120):
            if (i ^ j) & 1:
                result += i * 0.5 - j
    return result


def integrate():
    return simpson(lambda x: x * x + 1, 0.0, 3.0, 2000)


def simpson(f, a, b, n):
    h = (b - a) / n
    result = f(a) + f(b)
    for i in range(1, n):
        result += f(a + i * h) * (4 if i % 2 else 2)
    return result * h / 3


def collatz():
    n, steps = 837799, 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def overflows():
    n = 3
    for i in range(2000):
        n = n * 3 + i
    return n % 1000007, n.bit_length()


def grows():
    found = []
    for i in range(3000):
        if i % 7 == 3:
            found.append(i)
    return len(found), sum(found), found[-1]


def tuples():
    items = ()
    for i in range(900):
        items += (i,) if i % 90 == 0 else ()
    return items


def kinds():
    last = None
    for i in range(1500):
        last = (i, str(i))[i % 2] if i % 500 < 499 else None
    return last


def raises():
    left = 2500
    for i in range(4000):
        left -= 1
        if not left:
            raise ValueError(i)


def reads():
    result = 0
    for value in TABLE:
        result += value
    return result


def until():
    i = 0
    while True:
        i += 3
        if i * i > 70_000_000:
            return i


for function in total, nested, integrate, collatz, overflows, grows, tuples, kinds, raises, reads, until:
    staged = stage(function)
    for _ in range(2):
        try:
            print(function.__name__, staged())
        except ValueError as error:
            print(function.__name__, "raises", error, error.__traceback__.tb_next.tb_lineno)
