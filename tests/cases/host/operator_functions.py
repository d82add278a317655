# The functions of `operator` do what the operators do, on whatever they are given.
import functools
import operator

from support import show


class Odd:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return ("add", self.x, other)

    def __lt__(self, other):
        return "lt"

    def __bool__(self):
        return self.x > 0


def on_numbers(x, y):
    found = [f(x, y) for f in (operator.add, operator.sub, operator.mul, operator.lt, operator.ge, operator.eq)]
    return found, operator.neg(x), operator.not_(x), operator.truth(y), operator.pow(x, 2)


def divided(x, y):
    return operator.floordiv(x, y), operator.mod(x, y), operator.truediv(x, y)


def bits(x, y):
    return operator.and_(x, y), operator.xor(x, y), operator.lshift(x, 3), operator.invert(y)


def on_objects(x):
    odd = Odd(x)
    return operator.add(odd, x), operator.lt(odd, 1), operator.not_(odd), operator.truth(odd)


def folded(x):
    return functools.reduce(operator.mul, [x, 2, x]), functools.reduce(operator.add, (x, 1), 5)


def of_containers(x):
    return operator.getitem([x, 1], -2), operator.add([x], [1]), operator.eq((x,), (1,)), operator.getitem({"a": x}, "a")


show(on_numbers, (1, 2), (0.5, 0), (-3, 3), (True, 1), strict=True)
show(divided, (7, 2), (-7.5, 2), (1, 0), strict="leave")
show(bits, (6, 3), (-1, 5), (True, 2), strict="leave")
show(on_objects, 1, 0, 0.5, strict=True)
show(folded, 3, 0.5, strict=True)
show(of_containers, 1, 0.5, strict=True)
show(on_numbers, ("a", "b"), (1, "b"), ([1], [2]), (1, 2))
