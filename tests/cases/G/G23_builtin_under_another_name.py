# G23: builtins and classes called through variables.
import math

from support import show


def through_locals(x):
    d = dict
    length, biggest = len, max
    made = d(foo=x, bar=2)
    made["more"] = biggest(x, 2)
    return made, length(made)


def chosen(x, c):
    convert = int if c else float
    return convert(x), type(convert(x)).__name__


def from_a_table(x, which):
    functions = {"abs": abs, "floor": math.floor, "str": str, "bool": bool, "int": int}
    return functions[which](x)


def as_argument(x, y):
    return applied(min, x, y), applied(pow, x, 2), applied(divmod, x, y), applied(lambda *a: a, x, y)


def applied(function, *args):
    return function(*args)


def classes(x):
    kinds = [tuple, list]
    return [kind((x, 1)) for kind in kinds], range(*(3,))[-1], slice(None, 2).stop


show(through_locals, 1, 3, 2.5)
show(chosen, (2.7, 1), (2.7, 0), (3, 0), (3, True), (-2.7, True))
show(from_a_table, (-2.5, "abs"), (-2.5, "floor"), (-2.5, "str"), (0.0, "bool"), (0, "bool"), (-2.5, "int"))
show(as_argument, (7, 3), (1.5, 4), (-7, 2))
show(classes, 1, 0.5)
