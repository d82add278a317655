# I07: slices with a staged bound in a `try` block: nothing is caught that Python does not raise.
from support import show


def deleted(x):
    items = [1, 2, 3]
    try:
        del items[x:]
    except TypeError:
        return "caught", items
    return items


def read(x):
    try:
        return [1, 2, 3][x:]
    except TypeError:
        return "caught"


def written(x):
    items = [1, 2, 3]
    try:
        items[x:] = [9]
    except TypeError:
        items.append("caught")
    finally:
        items.append(x)
    return items


show(deleted, 1, 0, -1, 0.5)
show(read, 1, 9, -1, 0.5)
show(written, 1, 9, -1, 0.5)
