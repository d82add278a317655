# F09: a handler raises the same exception again.
from support import show


def again(x, let_through):
    try:
        if x < 0:
            raise ValueError("negative")
        return 10 // x
    except (ValueError, ZeroDivisionError):
        if let_through:
            raise
        return "held back"


def nested(x):
    try:
        try:
            return 10 // x
        except ZeroDivisionError:
            print("  inner")
            raise
    except ArithmeticError as error:
        return type(error).__name__


show(again, (1, True), (0, True), (0, False), (-1, True), (-1, False), (0.0, True))
show(nested, 3, 0)
