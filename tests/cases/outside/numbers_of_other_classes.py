# A number that is known later, compared with a complex number or with one of a class derived from a number's.
import enum
from snekpy import stage


class Num(enum.IntEnum):
    ONE = 1
    TWO = 2


class Flag(enum.IntFlag):
    A = 1
    B = 2


class Own(int):
    pass


class Real(float):
    pass


own, real = Own(2), Real(2.5)


@stage
def enums(n):
    return Num.ONE == n, n == Num.TWO, Num.ONE < n, n >= Num.TWO, n != Num.ONE, Flag.A == n, n in (Num.ONE, Num.TWO)


@stage
def own_classes(n):
    return own == n, n < own, real == n, n > real, n in [own, real], max(n, own), min(real, n)


@stage
def complexes(n):
    return n == 2 + 0j, 1j == n, n != complex(1), n in (1j, 2 + 0j)


@stage
def keys(n):
    return {Num.ONE: "a", Num.TWO: "b"}.get(n), [10, 20, 30][Num.ONE] + n


@stage
def chosen(n):
    if n == Num.ONE:
        return "one"
    elif n == Num.TWO:
        return "two"
    return "none"


@stage
def matched(n):
    match n:
        case Num.ONE:
            return "one"
        case Num.TWO:
            return "two"
    return "none"


for f in (enums, own_classes, complexes, keys, chosen, matched):
    for n in (0, 1, 2, 3, 2.5, True):
        print(f.__name__, n, f(n))
