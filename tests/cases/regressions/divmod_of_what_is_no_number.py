# `divmod` of something that has none says so in its own words, not in those of `//`.
from support import show


def whole(x, y):
    return divmod(y, x)


def parts(x, y):
    try:
        return divmod(x, y)
    except TypeError as error:
        return str(error)


show(whole, (3, [1]), (3, None), (2.0, "a"))
show(parts, (3, [1]), (3, None), (2.0, "a"), (7, 2), (True, 2.5))
