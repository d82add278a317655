# G32: one function is called with staged and with known arguments.
from support import show
from snekpy import Static, stage


def add_one(x):
    return x + 1


def sign(x):
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


def both(x):
    return add_one(x), add_one(3), sign(x), sign(-5), sign(add_one(x))


def in_a_loop(n):
    total = 0
    for i in range(n):
        total += sign(i - 2) + sign(4)
    return total, [sign(k) for k in (-1, 0, 1)]


def power(b, n):
    return 1 if n == 0 else b * power(b, n - 1)


def powers(x, n):
    return power(x, 3), power(2, n), power(2, 3), power(x, n)


@stage
def static_then_staged(n: Static, x):
    return power(x, n) + power(n, 2)


show(both, 3, -1, 0, -0.5)
show(in_a_loop, 5, 0, 3)
show(powers, (2, 4), (0.5, 2), (3, 0))
print(static_then_staged(2, 3), static_then_staged(3, 3), static_then_staged(2, 0.5), static_then_staged(0, 5))
