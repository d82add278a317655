# F09: a handler raises the exception that it has by its name: the line is that of its first `raise`.
from support import show


def by_name(x):
    try:
        return 10 // x
    except ZeroDivisionError as error:
        if x == 0:
            raise error
    return None


show(by_name, 3, 0)
