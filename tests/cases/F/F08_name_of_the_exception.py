# F08: the name after `as` is gone when the handler ends, whatever it was before.
from support import show


def gone(x):
    try:
        y = 10 // x
    except ZeroDivisionError as e:
        y = len(e.args)
    return y, e


def gone_though_set_before(x):
    e = x
    try:
        if x > 0:
            raise ValueError(x)
    except ValueError as e:
        x = -x
    return x, e


def kept_under_another_name(x):
    kept = None
    try:
        if x > 0:
            raise KeyError("k")
    except KeyError as e:
        kept = e
    try:
        e
    except NameError as error:
        return type(error).__name__, kept is None or kept.args
    return "bound"


def set_in_the_handler(x):
    try:
        if x > 0:
            raise KeyError("k")
    except KeyError as e:
        e = x
        y = e + 1
        return y
    return 0


show(gone, 0, 3)
show(gone_though_set_before, 1, 0, -1, 0.5)
show(kept_under_another_name, 1, 0)
show(set_in_the_handler, 1, 0, 0.5)
