# J16: match with class patterns, mappings, sequences with a star, captures and guards.
from support import show


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


class Origin(Point):
    def __init__(self):
        super().__init__(0, 0)


def of_a_number(x):
    match x:
        case True | False:
            return "flag"
        case 0:
            return "zero"
        case float(f) if f > 1:
            return f * 2
        case int() | float() as n:
            return n + 1
        case None:
            return "none"
        case str() as text:
            return text * 2
    return "else"


def of_an_object(x, y):
    match Point(x, y):
        case Point(0, 0):
            return "origin"
        case Point(x=0, y=n) | Point(x=n, y=0):
            return "axis", n
        case Point(a, b) if a == b:
            return "diagonal", a
        case Point(int(), _):
            return "int"
        case Origin():
            return "never"
    return "else"


def of_a_sequence(l):
    match l:
        case []:
            return "empty"
        case [1, *rest]:
            return "one", rest
        case [first, *_, last] if first == last:
            return "same", first
        case [[a, b], c]:
            return a + b + c
        case (a, b):
            return a, b
    return "long"


def of_a_mapping(x, kind):
    match {"kind": kind, "value": x, "more": 1}:
        case {"kind": "a", "value": v} if v > 0:
            return "a", v
        case {"kind": "b", **rest}:
            return rest
        case {"absent": _}:
            return "never"
        case {"value": 0 | 1 as v}:
            return "bit", v
    return "else"


def in_a_loop(n):
    state = "start"
    steps = 0
    while True:
        match state, n % 3:
            case "start", 0:
                state = "end"
            case "start", r:
                n -= r
            case "end", _:
                return steps, n
        steps += 1


show(of_a_number, True, 0, 0.0, 0.5, 1.5, 3, None, "s", ((),))
show(of_an_object, (0, 0), (0, 5), (5, 0), (3, 3), (3, 4), (0.5, 4), (0.0, 0))
show(of_a_sequence, [], [1, 2, 3], [1], [5, 2, 5], [5], [[2, 3], 4], [7, 8], [2, 3, 4], ((2, 0.5),))
show(of_a_mapping, (1, "a"), (-1, "a"), (1, "b"), (0, "c"), (1, "a b"), (2, "c"))
show(in_a_loop, 0, 4, 8)
