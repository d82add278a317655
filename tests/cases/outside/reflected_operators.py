# A subclass of a number has its reflected method called first only by an operand whose class it is derived from.
from snekpy import stage


class I(int):
    def __radd__(self, other):
        return "radd"

    def __rsub__(self, other):
        return "rsub"

    def __rmul__(self, other):
        return "rmul"

    def __gt__(self, other):
        return "gt"

    def __rtruediv__(self, other):
        return "rtruediv"

    def __rpow__(self, other):
        return "rpow"


class F(float):
    def __radd__(self, other):
        return "fradd"

    def __rmul__(self, other):
        return "frmul"

    def __gt__(self, other):
        return "fgt"

    def __eq__(self, other):
        return "feq"


class B:
    def __radd__(self, other):
        return "bradd"

    def __rmul__(self, other):
        return "brmul"


def many(a, b):
    return a + b, a - b, a * b, a < b, a / b, a**b


def some(a, b):
    return a + b, a * b, a < b, a == b


def two(a, b):
    return a + b, a * b


def augmented(a, b):
    a += b
    return a


for a in (1.5, True, 2, 7, -1.5):
    f, g = stage(many), stage(augmented)
    print(f(a, I(3)), g(a, I(3)), f(a, I(4)), f(a + 1, I(4)))
    f = stage(some)
    print(f(a, F(3.0)), f(a, F(4.0)))
    f = stage(two)
    print(f(a, B()))
for a in ("s", (1,), [1], b"x"):
    f = stage(two)
    print(f(a, B()))
    try:
        print(f(a, I(2)))
    except TypeError as e:
        print(type(e).__name__)
f = stage(many)
print(f(I(3), 2), f(I(3), I(2)), f(I(3), 1.5))
