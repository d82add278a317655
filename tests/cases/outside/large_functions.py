# Long functions, and constant tables, make code in proportion; products of lists of lists are compiled or refused soon.
from snekpy import StagingError, stage


def made(source, **options):
    space = {}
    exec(source, space)
    return stage(space["f"], **options)


def conditions(count):
    lines = "".join(f"    if x > {i}:\n        t += y * {i}\n" for i in range(count))
    return made(f"def f(x, y):\n    t = 0\n{lines}    return t\n")


def table(count, kind):
    return made(f"def f(n):\n    items = {kind(i * i % 1009 for i in range(count))}\n    return items[n]\n")


def in_proportion(make, *args):
    if hasattr(make(1), "inspect"):
        half, whole = (len(make(count).inspect("captured", *args).splitlines()) for count in (150, 300))
        assert whole < 2.2 * half, (half, whole)


for count in (10, 900):
    print(count, conditions(count)(count // 2, 3), conditions(count)(-1, 3))
in_proportion(conditions, 5, 3)
for kind in (list, tuple):
    for count in (10, 600):
        f = table(count, kind)
        print(count, f(7), f(-1), f(0))
        try:
            f(count)
        except IndexError as error:
            print(error)
    in_proportion(lambda count: table(count, kind), 0)

PRODUCT = """
def f(a, b):
    n = len(a)
    c = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    return c
"""
for n in (12, 45):
    a = [[float(i * j % 7) for j in range(n)] for i in range(n)]
    expected = [[sum(a[i][k] * a[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
    print(n, made(PRODUCT)(a, a) == expected)
    try:
        print(made(PRODUCT, strict=True)(a, a) == expected)
    except StagingError as error:
        print(str(error).startswith("S13"))
