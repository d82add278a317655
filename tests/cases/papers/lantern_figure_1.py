# Lantern, figure 1: forward mode, reverse mode by continuations that are passed, and by shift and reset; of a + a * a.
from snekpy import reset, shift, stage


class NumF:
    def __init__(self, x, d):
        self.x = x
        self.d = d

    def __mul__(self, that):
        return NumF(self.x * that.x, self.d * that.x + that.d * self.x)

    def __add__(self, that):
        return NumF(self.x + that.x, self.d + that.d)


def forward(x):
    a = NumF(x, 1.0)
    y = a + a * a
    return y.x, y.d


class NumR:
    def __init__(self, x, d):
        self.x = x
        self.d = d

    def times(self, that):
        def with_continuation(k):
            y = NumR(self.x * that.x, 0.0)
            k(y)
            self.d += that.x * y.d
            that.d += self.x * y.d

        return with_continuation

    def plus(self, that):
        def with_continuation(k):
            y = NumR(self.x + that.x, 0.0)
            k(y)
            self.d += y.d
            that.d += y.d

        return with_continuation


def by_continuations(x):
    a = NumR(x, 0.0)
    value = []

    def last(aaa):
        aaa.d = 1.0
        value.append(aaa.x)

    a.times(a)(lambda aa: aa.plus(a)(last))
    return value[0], a.d


class Num:
    def __init__(self, x, d=0.0):
        self.x = x
        self.d = d

    def __mul__(self, that):
        def with_continuation(k):
            y = Num(self.x * that.x)
            k(y)
            self.d += that.x * y.d
            that.d += self.x * y.d

        return shift(with_continuation)

    def __add__(self, that):
        def with_continuation(k):
            y = Num(self.x + that.x)
            k(y)
            self.d += y.d
            that.d += y.d

        return shift(with_continuation)


def by_shift_and_reset(x):
    a = Num(x)

    def forwards():
        (a + a * a).d = 1.0

    reset(forwards)
    return a.d


for x in (0.0, 0.5, 3.0, -2.0):
    print(x, forward(x), by_continuations(x), by_shift_and_reset(x))
    print(x, stage(forward)(x), stage(by_continuations)(x), stage(by_shift_and_reset)(x))
