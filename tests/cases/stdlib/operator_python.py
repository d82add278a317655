# stdlib: the functions of `operator` in their Python versions, staged themselves.
import sys

sys.modules["_operator"] = None  # the native versions are not there: `operator`, imported once more, keeps its own
native = sys.modules.pop("operator", None)
import operator

from support import show

NUMBERS = ((7, 2), (-7, 2), (7.5, 2), (0, 3), (True, 2), (1, -0.5))
INTS = ((7, 2), (-7, 2), (0, 3), (True, 2), (12, 10))

# Two numbers.
show(operator.add, *NUMBERS)
show(operator.sub, *NUMBERS)
show(operator.mul, *NUMBERS)
show(operator.truediv, *NUMBERS)
show(operator.floordiv, *NUMBERS)
show(operator.mod, *NUMBERS)
show(operator.pow, *NUMBERS[:-1])
show(operator.lt, *NUMBERS)
show(operator.le, *NUMBERS)
show(operator.eq, *NUMBERS)
show(operator.ne, *NUMBERS)
show(operator.ge, *NUMBERS)
show(operator.gt, *NUMBERS)
show(operator.is_, (1, 1), (1, 1.0), (None, 1))
show(operator.is_not, (1, 1), (1, 1.0), (None, 1))
show(operator.and_, *INTS)
show(operator.or_, *INTS)
show(operator.xor, *INTS)
show(operator.lshift, *INTS)
show(operator.rshift, *INTS)
show(operator.iadd, *NUMBERS)
show(operator.isub, *NUMBERS)
show(operator.imul, *NUMBERS)
show(operator.itruediv, *NUMBERS)
show(operator.ifloordiv, *NUMBERS)
show(operator.imod, *NUMBERS)
show(operator.ipow, *NUMBERS[:-1])
show(operator.iand, *INTS)
show(operator.ior, *INTS)
show(operator.ixor, *INTS)
show(operator.ilshift, *INTS)
show(operator.irshift, *INTS)

# One number.
show(operator.abs, 7, -7, 2.5, -0.0, True)
show(operator.neg, 7, -7, 2.5, 0, True)
show(operator.pos, 7, -7, 2.5, 0, True)
show(operator.not_, 7, 0, 2.5, 0.0, None)
show(operator.truth, 7, 0, 2.5, 0.0, None)
show(operator.inv, 7, -7, 0, 12)
show(operator.invert, 7, -7, 0, 12)
show(operator.index, 7, -7, 0, True)

# Sequences with numbers.
show(operator.concat, ([1], [2, 3]), ([], [2.5]), ((1,), (2,)))
show(operator.iconcat, ([1], [2, 3]), ([], [2.5]), ((1,), (2,)))
show(operator.contains, ([1, 2], 2), ([1, 2], 3), ((), 1), ([2.5], 2.5))
show(operator.countOf, ([1, 2, 1], 1), ([1, 2], 3), ((), 1), ([2.5, True], 1))
show(operator.indexOf, ([1, 2, 1], 2), ((5, 1), 1), ([2.5], 2.5))
show(operator.getitem, ([1, 2], 1), ([1, 2], -1), ((5, 6, 7), 0))
show(operator.setitem, ([1, 2], 1, 5), ([1, 2], -1, 2.5), ([5, 6, 7], 0, -1))
show(operator.delitem, ([1, 2], 1), ([1, 2], -1), ([5, 6, 7], 0))
show(operator.length_hint, ([1, 2],), ((),), ([2.5],))


def item(n):
    return operator.itemgetter(n)([1, 2, 3])


def items(n, m):
    return operator.itemgetter(n, m)([1, 2, 3])


def attribute(x):
    return operator.attrgetter("real", "imag")(x)


def method(x):
    return operator.methodcaller("conjugate")(x)


def called(x, y):
    return operator.call(operator.sub, x, y)


def not_there(x):
    return operator.indexOf([1, 2], x)


def divided(x, y):
    return operator.truediv(x, y), operator.mod(x, y)


def shifted(x, y):
    return operator.lshift(x, y)


def hinted(x):
    return operator.length_hint(5, x)


show(item, 0, 2, -1, 3)
show(items, (0, 2), (-1, 1), (3, 0))
show(attribute, 1, 2.5, True)
show(method, 1, 2.5, True)
show(called, (1, 2), (2.5, 1), (0, -1))
show(not_there, 1, 3, 2.0, 0.5)
show(divided, (1, 2), (1, 0), (2.5, 0.0), (7, -2))
show(shifted, (1, 2), (1, 0), (1, -1))
show(hinted, 0, 3, -1)
