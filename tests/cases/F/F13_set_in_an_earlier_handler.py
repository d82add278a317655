# F13: a variable is set in one handler and used after it, or in a later one.
from support import show


def always_raised(i):
    try:
        raise ValueError
    except ValueError:
        x = 1
    if i == 0:
        x = i - 1
    return x


def perhaps_raised(i):
    try:
        y = 10 // i
    except ZeroDivisionError:
        x = 1
    if i == 1:
        x = i - 1
    return x


def one_handler_after_another(i):
    try:
        if i < 0:
            raise KeyError
        kind = "in order"
    except KeyError:
        kind = None
        j = i * 2
    try:
        if kind is None:
            raise ValueError
        j = i
    except ValueError:
        j = j + 0.5
    return kind, j


def in_else_and_finally(i):
    try:
        y = 10 // i
    except ZeroDivisionError:
        x = "handler"
    else:
        x = y
    finally:
        z = i + 1
    return x, z


show(always_raised, 0, 1, 0.0)
show(perhaps_raised, 0, 1, 2)
show(one_handler_after_another, 0, 3, -3, -0.5)
show(in_else_and_finally, 0, 3)
