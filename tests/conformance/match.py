# Structural pattern matching.
class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def describe(v):
    match v:
        case 0 | 1:
            return "bit"
        case int(n) if n < 0:
            return f"negative {n}"
        case float() | int():
            return "number"
        case "a" | "b" as letter:
            return f"letter {letter}"
        case str():
            return "text"
        case [] | ():
            return "empty"
        case [x]:
            return f"one {x}"
        case [x, y, *rest]:
            return f"{x} {y} {rest}"
        case {"kind": kind, **rest}:
            return f"{kind} {rest}"
        case Point(0, y):
            return f"axis {y}"
        case Point(x=x, y=y):
            return f"point {x} {y}"
        case None:
            return "none"
        case _:
            return "other"


for v in (0, -3, 5, 2.5, "a", "zz", [], [1], (1, 2, 3), {"kind": "k", "n": 1}, {}, Point(0, 2), Point(1, 2), None, True, {1}):
    print(describe(v))
