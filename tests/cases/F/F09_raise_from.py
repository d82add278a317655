# F09: a handler raises one exception from another.
from support import show
from snekpy import stage


def other(x):
    try:
        return 10 // x
    except ZeroDivisionError as error:
        if isinstance(x, int):
            raise KeyError("no int") from error
        raise KeyError("no float") from None


show(other, 3, 0, 0.0)
staged = stage(other)
for x in (0, 0.0):
    try:
        staged(x)
    except KeyError as error:
        print(type(error.__cause__).__name__, type(error.__context__).__name__, error.__suppress_context__)
