# K05: powers of zeros, ones, infinities and NaNs.
from snekpy import stage


def power(x, y):
    try:
        return x**y
    except (ZeroDivisionError, OverflowError) as error:
        return type(error).__name__


staged = stage(lambda x, y: x**y)
inf, nan = float("inf"), float("nan")
numbers = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, inf, -inf, nan, 1e200, -1e200, 0, 1, -2, True)
for x in numbers:
    row = []
    for y in numbers:
        plain = power(x, y)
        try:
            now = staged(x, y)
        except (ZeroDivisionError, OverflowError) as error:
            now = type(error).__name__
        assert repr(plain) == repr(now), (x, y, plain, now)
        row.append("complex" if isinstance(plain, complex) else plain)
    print(x, row)
