# M11: native functions and plain helpers look at staged numbers.
import functools
import operator

from support import show


def positive(x):
    if x:
        return x > 0
    return None


def smallest(x, y):
    return max(x, y, 0), min((x, y)), max([x, y], key=lambda v: -v), max(x, y) is x


def summed(x, y):
    return sum((x, y), 1), all((x, y)), any([x, y]), functools.reduce(lambda a, b: a * 2 + b, (x, y, 1))


def in_order(x, y):
    l = [x, y, 1]
    m = sorted(l)
    return m, sorted(l, reverse=True), sorted(l, key=lambda v: v * v), l


def chosen(x, y):
    return list(filter(None, (x, y))), list(filter(positive, (x, y))), list(map(positive, (x, y)))


def by_operator(x, y):
    return operator.add(x, y), operator.lt(x, y), operator.itemgetter(1)((x, y)), operator.not_(x)


def joined(x, y):
    return "".join(chr(97 + v) for v in (x, y)), bytes((x, y)), "ab"[x > y], str(x).rjust(3), repr((x, y)), hex(x)


def helper_in_a_condition(x, y):
    if positive(x) and not positive(y):
        return "yes"
    return positive(x) or positive(y)


show(smallest, (1, 2), (2, 1), (-1, -2), (0.5, 1), (1, 1.0))
show(summed, (1, 2), (0, 0), (0, 0.5), (-1, 0))
show(in_order, (3, 2), (0, -2), (0.5, 2))
show(chosen, (1, 0), (0, 0), (-1, 2), (0.5, -0.5))
show(by_operator, (1, 2), (0, 0), (2, 0.5))
show(joined, (1, 2), (25, 0))
show(helper_in_a_condition, (1, -1), (1, 1), (0, 0), (0, 2), (-1, -1))
