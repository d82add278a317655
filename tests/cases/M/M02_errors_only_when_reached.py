# M02: an error that staging can foresee is raised when its line runs, and not before.
from support import show

VALUES = (1, 2, 3)


def unknown_name(x):
    print("  before")
    if x > 0:
        return no_such_name
    return x


def wrong_types(x):
    if x > 0:
        return "text" + x
    return "text" * 2


def outside_of_a_tuple(x):
    if x > 0:
        return VALUES[3]
    return VALUES[-3]


def wrong_call(x):
    if x > 1:
        return unknown_name()
    if x > 0:
        return unknown_name(x, x)
    return x(1) if x else x


def no_attribute(x):
    print("  first")
    if x > 0:
        print("  then")
        VALUES.missing
    return len(VALUES)


def in_the_last_iteration(n):
    for i in range(n):
        print("  iteration", i)
        if i == 2:
            i + None
    return n


def known_division(x):
    y = 0
    if x > 0:
        return 1 // y
    return x / (y + 1)


def too_many_values(x):
    if x > 0:
        a, b = VALUES
    else:
        a, b, c = VALUES
    return a


show(unknown_name, -1, 1)
show(wrong_types, 0, 1)
show(outside_of_a_tuple, 0, 1)
show(wrong_call, 0, 1, 2, -1)
show(no_attribute, 0, 1)
show(in_the_last_iteration, 2, 3)
show(known_division, 0, 1)
show(too_many_values, 0, 1)
