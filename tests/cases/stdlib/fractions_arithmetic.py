# stdlib: `fractions.Fraction`, made of staged ints and calculated with staged numbers.
from fractions import Fraction

from support import show


def made(n, d):
    return Fraction(n, d)


def parts(n, d):
    f = Fraction(n, d)
    return f.numerator, f.denominator, str(f)


def of_one(x):
    return Fraction(x)


def added(n, d):
    return Fraction(n, d) + Fraction(1, 3)


def subtracted(n, d):
    return Fraction(1, 2) - Fraction(n, d)


def multiplied(n, d):
    return Fraction(n, d) * Fraction(6, 5)


def divided(n, d):
    return Fraction(3, 4) / Fraction(n, d)


def floored(n, d):
    return Fraction(7, 2) // Fraction(n, d), Fraction(7, 2) % Fraction(n, d)


def both(n, d):
    return divmod(Fraction(n, d), Fraction(1, 2))


def with_number(x):
    return Fraction(3, 4) + x, x - Fraction(3, 4), Fraction(3, 4) * x


def over_number(x):
    return Fraction(3, 4) / x


def number_over(x):
    return x / Fraction(3, 4)


def power(n):
    return Fraction(2, 3) ** n


def to_the(n, d):
    return 4 ** Fraction(n, d)


def signs(n, d):
    f = Fraction(n, d)
    return +f, -f, abs(f), bool(f)


def compared(n, d):
    f = Fraction(n, d)
    return f < 1, f <= 0.5, f == 0.5, f > Fraction(1, 3), f >= 2, f != 0


def rounded(n, d):
    f = Fraction(n, d)
    return round(f), int(f), f.__floor__(), f.__ceil__(), round(f, 1)


def floated(n, d):
    return float(Fraction(n, d))


def limited(n, d, most):
    return Fraction(n, d).limit_denominator(most)


def from_float(x):
    return Fraction.from_float(x).limit_denominator(100)


def ratio(n, d):
    return Fraction(n, d).as_integer_ratio()


def same_hash(n, d):
    return hash(Fraction(n, d)) == hash(Fraction(2 * n, 2 * d))


def harmonic(n):
    total = Fraction(0)
    for k in range(1, n + 1):
        total += Fraction(1, k)
    return total


def continued(n, d):
    f, digits = Fraction(n, d), []
    while True:
        whole = f.numerator // f.denominator
        digits.append(whole)
        if f == whole:
            return digits
        f = 1 / (f - whole)


PAIRS = ((1, 2), (3, 4), (-2, 4), (0, 5), (6, -8), (7, 1), (1, 0), (2**40, 2**41))

show(made, *PAIRS, (1.5, 2))
show(parts, *PAIRS)
show(of_one, 3, 0, -7, 0.5, 0.1, True, 1e300)
show(added, *PAIRS)
show(subtracted, *PAIRS)
show(multiplied, *PAIRS)
show(divided, *PAIRS)
show(floored, *PAIRS)
show(both, *PAIRS)
show(with_number, 1, 0, -2, 0.5, True)
show(over_number, 1, -2, 0.5, 0)
show(number_over, 1, -2, 0.5, 0)
show(power, 0, 1, 3, -2, 0.5)
show(to_the, (1, 2), (2, 1), (-1, 2), (0, 1))
show(signs, *PAIRS)
show(compared, *PAIRS)
show(rounded, *PAIRS, (5, 2), (-7, 2))
show(floated, *PAIRS)
show(limited, (314, 100, 10), (1, 3, 1), (-22, 7, 5), (1, 2, 0))
show(from_float, 0.3333, 2.5, -0.1, 3)
show(ratio, *PAIRS)
show(same_hash, *PAIRS)
show(harmonic, 0, 1, 4, 10)
show(continued, (415, 93), (1, 2), (7, 1), (-3, 2))
