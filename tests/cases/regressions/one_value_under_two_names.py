# What two variables name is one object, also behind loops and joins and where compiled code hands it out.
from snekpy import stage


def texts(x, n):
    z = f"{x}"
    w = z
    for i in range(n):
        if i % 3 == 0:
            x += 1
            z = f"a{x}"
            w = z
    return z is w, z, w


def apart(x, n):
    z = f"{x}."
    w = f"{x}."
    if n > 2:
        w = z
    return z is w, z, w


def complexes(x, n):
    z = complex(x, 1.0)
    w = z
    for i in range(n):
        if i % 3 == 0:
            z = z * 1j
            w = z
    return z is w, z, w


def diverging(x, n):
    z = w = 0j
    for i in range(n):
        z = z * x + 1
        if i % 4 == 2:
            w = z
    return z is w, z, w


def ranges(x, n):
    z = range(x, n)
    return z, z


def methods(x, n):
    z = f"{x}{n}".upper
    return z(), z.__name__


for function in (texts, apart, complexes, diverging, ranges, methods):
    staged = stage(function)
    for x, n in [(2, 0), (2, 1), (3, 5), (4, 6), (5, 7)]:
        result = staged(x, n)
        print(function.__name__, result, result[-1] is result[-2])
