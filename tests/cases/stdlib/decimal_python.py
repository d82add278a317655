# stdlib: `decimal` in its Python version, with decimals made of staged ints.
from _pydecimal import ROUND_HALF_UP, Context, Decimal, localcontext

from support import show


def made(x):
    return Decimal(x), str(Decimal(x) + 0)


def added(x):
    return Decimal("1.10") + x, x - Decimal("0.25"), Decimal("2.5") * x


def divided(x):
    return Decimal(1) / x


def remainders(x):
    return Decimal(x) % 3, Decimal(x) // 3, divmod(Decimal(-7), Decimal(x))


def compared(x):
    d = Decimal(x)
    return d < 2, d == 2, d >= Decimal("0.5"), d.compare(Decimal(1)), max(d, Decimal(1))


def rounded(x, places):
    return round(Decimal(x) / 7, places)


def quantized(x):
    return (Decimal(x) / 8).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def power(x):
    return Decimal(2) ** x


def rooted(x):
    return Decimal(x).sqrt()


def precise(digits):
    with localcontext() as context:
        context.prec = digits
        return Decimal(1) / 7


def scaled(x, by):
    return Decimal(x).scaleb(by), Decimal(x).adjusted(), Decimal(x).as_tuple()


def signs(x):
    d = Decimal(x)
    return -d, abs(d), d.is_zero(), d.is_signed(), int(d), float(d), bool(d)


def in_context(x, y):
    return Context(prec=5).divide(Decimal(x), Decimal(y))


show(made, 1, 0, -70, 12345678901)
show(added, 1, 0, -7)
show(divided, 1, 3, -8, 0)
show(remainders, 7, 1, -2)
show(compared, 1, 2, 0, -5)
show(rounded, (1, 2), (10, 0), (-3, 5), (100, -1))
show(quantized, 1, 7, -3, 0)
show(power, 0, 10, -2)
show(rooted, 4, 2, 0, -1)
show(precise, 1, 5, 30)
show(scaled, (123, 2), (0, 0), (-5, -3))
show(signs, 1, 0, -7)
show(in_context, (1, 3), (22, 7), (-1, 8), (1, 0))
