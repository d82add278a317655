# H04: list comprehensions over staged numbers.
from support import show


def f(l, t):
    return [v * t for v in l]


def g(x):
    return [x + i for i in range(4) if i % 2 == 0]


def total(l, t):
    return sum([v if v > t else 0 for v in l])


show(f, ([1, 2, 3], 2), ([], 1), ([1, 2], 0.5))
show(g, 10, 0.5)
show(total, ([1, 5, 9], 4), ([1], 4))
